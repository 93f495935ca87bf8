// lib/report_input.h - tells what a file for `longshore report` is, and reads it.
#pragma once
#include <cstdint>
#include <string>

#include "core/result.h"
#include "lib/report_types.h"

namespace longshore::cli {

// Larger files are refused: a page that shows them would help nobody.
inline constexpr int64_t kMostInputBytes = int64_t{256} << 20;

// Adds what `text`, the content of the file `source`, has in it: results of bench or check, lines
// of statistics (other lines around them are counted and left out), or a trace. Which it is shows
// in its content, whatever its name. Missing fields are let pass. Fails with kBadFile, saying what
// is wrong and leaving `data` as it was, if the text is empty, is no JSON, ends too early, is of
// another kind, has nothing in it, or is too large.
[[nodiscard]] Status add_report_input(const std::string& source, const std::string& text,
                                      ReportData& data);

}  // namespace longshore::cli
