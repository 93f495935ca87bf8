#include "lib/shell_words.h"

#include <cctype>
#include <string_view>

namespace longshore::cli {
namespace {

constexpr std::string_view kHarmless = "_-+=./:,@%";

bool is_harmless(const std::string& word) {
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        kHarmless.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return !word.empty();
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (is_harmless(word)) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace longshore::cli
