// lib/shell_words.h - words as a person would type them to a shell.
#pragma once
#include <string>

namespace longshore::cli {

// The word, in single quotes if a shell would read it otherwise.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace longshore::cli
