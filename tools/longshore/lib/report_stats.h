// lib/report_stats.h - what files' calls cost (LONGSHORE_STATS=json) in the report.
#pragma once
#include <vector>

#include "lib/report_html.h"
#include "lib/report_types.h"

namespace longshore::cli {

// For each file: bytes, storage calls, and which phase took the most time.
[[nodiscard]] std::vector<Finding> stats_findings(const StatsInput& input);

// Bars of time by phase, and a table with a column for each counter.
void add_stats_section(const StatsInput& input, PageBody& body);

}  // namespace longshore::cli
