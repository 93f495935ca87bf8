// lib/report_bench.h - results of `longshore bench` in the report.
#pragma once
#include <string>
#include <vector>

#include "lib/bench_summary.h"
#include "lib/report_html.h"
#include "lib/report_types.h"

namespace longshore::cli {

// What was measured, the mean ratios with their spread, what is slower than stock or went wrong,
// and what is missing.
[[nodiscard]] std::vector<Finding> bench_findings(const BenchInput& input);

// Bars of stock, longshore and limit, lines over ranks, heat maps of sweeps, and the table.
void add_bench_section(const BenchInput& input, PageBody& body);

// "tile_256, 4 ranks, shm".
[[nodiscard]] std::string case_label(const SummaryRow& row);

// Lines over sizes, where several inputs have measured the same with different numbers of bytes;
// else nothing.
void add_bench_sizes(const std::vector<BenchInput>& inputs, PageBody& body);

}  // namespace longshore::cli
