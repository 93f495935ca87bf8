// output.h - what longshore-check prints.
#pragma once
#include <string>

#include "check/measure.h"

namespace longshore::check {

// The rules there are, as a JSON array.
[[nodiscard]] std::string rules_json();

// One line of JSON for a case.
[[nodiscard]] std::string case_json(const Case& one);

// What a case is, in a few words: "10 sparse write 4096".
[[nodiscard]] std::string case_text(const Case& one);

// Whose MPI-IO this process has, "longshore" or "stock", and the MPI's name and version, as a line
// of JSON that comes first.
[[nodiscard]] std::string header_json(int ranks, size_t cases);

}  // namespace longshore::check
