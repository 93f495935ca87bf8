// lib/explain.h - what the library would do for a pattern, by the library's own code, and what the
// cost model says of that and of the alternatives.
#pragma once
#include <string>
#include <vector>

#include "advise/cost.h"
#include "advise/profile.h"
#include "collective/census.h"
#include "core/result.h"
#include "file/hints.h"
#include "layout/layout.h"
#include "lib/explain_pattern.h"

namespace longshore::cli {

struct ExplainRequest {
  PatternSpec pattern;
  Layout layout;
  Hints hints;
  Profile profile;
};

// One way to carry out the call.
struct Alternative {
  std::string kind;  // "as chosen", "phases", "partition", "exchange", "pipeline", "way"
  std::string how;   // in words, or the value of the hint of that name
  std::string hint;  // that asks for it; empty if none does
  Cost cost;
};

struct Explanation {
  PatternSpec pattern;
  CallShape shape;
  std::string call;  // "write_all"
  std::string how;   // as the library's reports say it
  std::string why;
  // Of a collective call:
  Summary summary;
  std::vector<int> aggregators;
  int64_t cycles = 0;  // 0 unless two phases
  // Of an independent one:
  bool has_pages = false;
  int64_t page_bytes = 0;
  int64_t small_piece_bytes = 0;          // pieces below this go through pages
  std::vector<Alternative> alternatives;  // the chosen one first, the others cheapest first
};

[[nodiscard]] Explanation explain(const ExplainRequest& request);

// What is found of a file, or, if there is none, of its folder. kNoSuchFile if there is neither.
[[nodiscard]] Result<Layout> layout_of(const std::string& path, const Hints& hints);

// Defaults, then the environment, then `pairs` (key=value). kInvalidArgument for a bad pair and
// for an unknown key.
[[nodiscard]] Result<Hints> hints_of(const std::vector<std::string>& pairs);

}  // namespace longshore::cli
