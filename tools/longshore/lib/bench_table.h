// lib/bench_table.h - a benchmark's figures as text.
#pragma once
#include <string>
#include <vector>

#include "lib/bench_types.h"

namespace longshore::cli {

// The table (a line per workload, ranks, directory, direction and variant of Longshore, the MPIs
// side by side), after a sweep how often each value was the fastest, small independent calls beside
// collective ones, the geometric means and the rows that miss a goal.
[[nodiscard]] std::string bench_report(const std::vector<RunRecord>& records);

}  // namespace longshore::cli
