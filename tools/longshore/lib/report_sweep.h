// lib/report_sweep.h - heat maps of a sweep over hints.
#pragma once
#include <vector>

#include "lib/bench_summary.h"
#include "lib/report_html.h"

namespace longshore::cli {

// For each MPI and direction a map: the values of the first swept hint across, the cases down. If
// several hints were swept, a map for each case, with the values of the others down. A cell is
// shaded by its share of the best in its case. Nothing if no hint was swept.
void add_sweep_charts(const std::vector<SummaryRow>& rows, PageBody& body);

}  // namespace longshore::cli
