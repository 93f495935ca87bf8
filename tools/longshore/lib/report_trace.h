// lib/report_trace.h - timelines in the report: an overview, not a second Perfetto.
#pragma once
#include <vector>

#include "lib/report_chart.h"
#include "lib/report_html.h"
#include "lib/report_types.h"

namespace longshore::cli {

inline constexpr size_t kMostTimelineEvents = 20000;
inline constexpr size_t kMostTimelineRanks = 64;

// The trace as a chart of at most `most_events` blocks. Events of one name and lane that lie within
// a grain of time become one block that counts them; the grain is the least that suffices, starting
// at 1/8192 of the whole. Longer events stay as they are. Of more than kMostTimelineRanks ranks
// some are left out, evenly.
//
// Worked example: with a grain of 10, events at [0, 3), [4, 8), [9, 12) and [20, 50) become blocks
// [0, 8) of two events, [9, 12) and [20, 50).
[[nodiscard]] TimelineChart timeline_of(const TraceInput& trace, size_t most_events);

// How long, how many ranks, what took most time.
[[nodiscard]] std::vector<Finding> trace_findings(const TraceInput& trace);

// The timeline, how to open it in Perfetto, and a table of time by name.
void add_trace_section(const TraceInput& trace, PageBody& body);

}  // namespace longshore::cli
