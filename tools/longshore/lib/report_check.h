// lib/report_check.h - verdicts of `longshore check` in the report.
#pragma once
#include <vector>

#include "lib/report_html.h"
#include "lib/report_types.h"

namespace longshore::cli {

// What was checked where; for each MPI-IO which rules it breaks, how badly and what would help.
[[nodiscard]] std::vector<Finding> check_findings(const CheckInput& input);

// Rules against MPI-IOs, ratios with their intervals, lines over sizes, and the table.
void add_check_section(const CheckInput& input, PageBody& body);

}  // namespace longshore::cli
