// lib/bench_beside.h - small independent calls beside the same bytes by collective calls (as
// liao-2007, figure 3).
#pragma once
#include <string>
#include <vector>

#include "lib/bench_summary.h"

namespace longshore::cli {

// The row of a workload NAME_rows, whose calls are independent, and that of NAME, whose calls are
// collective, with everything else the same.
struct RowsBeside {
  const SummaryRow* rows = nullptr;
  const SummaryRow* collective = nullptr;
};
[[nodiscard]] std::vector<RowsBeside> pair_rows(const std::vector<SummaryRow>& all);

// A line per pair with both speeds of stock and of Longshore, and Longshore's independent calls
// divided by either's collective ones. Nothing without a pair.
[[nodiscard]] std::string beside_collective(const std::vector<SummaryRow>& all);

}  // namespace longshore::cli
