// lib/stats_advice.h - hints that would help, by rules of thumb over a file's counters.
//
// Each rule looks at one file and says nothing unless the counters show what it is about, in
// numbers that the reader can check. A rule is one function and a line in the table of
// stats_advice.cc.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lib/stats_lines.h"

namespace longshore::cli {

struct StatsAdvice {
  std::string what;  // "longshore_write_behind=automatic"
  std::string why;
  int64_t weight = 0;  // nanoseconds of calls that it is about
};

inline constexpr size_t kMostAdvice = 3;

// At most kMostAdvice, the weightiest first; advice that several files need is given once.
[[nodiscard]] std::vector<StatsAdvice> advice_for(const std::vector<FileStats>& files);

}  // namespace longshore::cli
