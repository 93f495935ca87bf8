#include "lib/report_trace.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/report_text.h"

namespace longshore::cli {
namespace {

constexpr double kFirstGrains = 8192;
constexpr double kUsPerMs = 1e3;

double end_of(const TraceEvent& event) { return event.begin_us + event.duration_us; }

double span_of(const TraceInput& trace) {
  double span = 0;
  for (const auto& event : trace.events) {
    span = std::max(span, end_of(event));
  }
  return std::max(span, 1e-3);
}

std::vector<std::string> ranks_of(const TraceInput& trace) {
  std::vector<std::string> ranks;
  for (const auto& lane : trace.lanes) {  // which are in order of ranks
    if (ranks.empty() || ranks.back() != lane.rank) {
      ranks.push_back(lane.rank);
    }
  }
  return ranks;
}

std::set<std::string> shown_ranks(const std::vector<std::string>& ranks) {
  std::set<std::string> shown;
  const size_t most = std::min(ranks.size(), kMostTimelineRanks);
  for (size_t i = 0; i < most; ++i) {
    shown.insert(ranks[i * ranks.size() / most]);
  }
  return shown;
}

std::string label_of(const TraceLane& lane) {
  return "rank " + lane.rank + (lane.name.empty() ? "" : " " + lane.name);
}

// The lanes of the ranks that are shown, and their events.
TimelineChart chosen_lanes(const TraceInput& trace) {
  TimelineChart chart;
  chart.span_us = span_of(trace);
  chart.names = trace.names;
  const auto shown = shown_ranks(ranks_of(trace));
  std::vector<int> place(trace.lanes.size(), -1);
  for (size_t i = 0; i < trace.lanes.size(); ++i) {
    if (shown.contains(trace.lanes[i].rank)) {
      place[i] = static_cast<int>(chart.lanes.size());
      chart.lanes.push_back(label_of(trace.lanes[i]));
    }
  }
  for (auto event : trace.events) {
    event.lane = place[event.lane];
    if (event.lane >= 0) {
      chart.events.push_back(event);
    }
  }
  return chart;
}

std::vector<TraceEvent> merged(const std::vector<TraceEvent>& events, double grain_us) {
  std::vector<TraceEvent> blocks;
  std::map<std::pair<int, int>, size_t> open;  // the last block of a lane and a name
  for (const auto& event : events) {
    const auto [found, added] = open.try_emplace({event.lane, event.name}, blocks.size());
    if (!added) {
      auto& block = blocks[found->second];
      if (end_of(event) <= block.begin_us + grain_us) {
        block.duration_us = std::max(end_of(block), end_of(event)) - block.begin_us;
        block.count += event.count;
        continue;
      }
      found->second = blocks.size();
    }
    blocks.push_back(event);
  }
  return blocks;
}

// --- time by name

struct NameSums {
  int64_t count = 0;
  double total_us = 0;
  TraceEvent longest;
};

std::vector<NameSums> sums_of(const TraceInput& trace) {
  std::vector<NameSums> sums(trace.names.size());
  for (const auto& event : trace.events) {
    auto& sum = sums[event.name];
    sum.total_us += event.duration_us;
    if (sum.count++ == 0 || event.duration_us > sum.longest.duration_us) {
      sum.longest = event;
    }
  }
  return sums;
}

void add_table(const TraceInput& trace, PageBody& body) {
  HtmlTable table;
  table.caption =
      "Time by name, summed over ranks; an event that lies within another counts in both";
  table.columns = {{"name"},           {"events", true},      {"total, ms", true},
                   {"mean, ms", true}, {"longest, ms", true}, {"longest on"}};
  const auto sums = sums_of(trace);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) {
      continue;
    }
    const double total_ms = sums[i].total_us / kUsPerMs;
    const double mean_ms = total_ms / static_cast<double>(sums[i].count);
    const double longest_ms = sums[i].longest.duration_us / kUsPerMs;
    table.rows.push_back({trace.names[i],
                          {std::to_string(sums[i].count), static_cast<double>(sums[i].count)},
                          {figure(total_ms), total_ms},
                          {figure(mean_ms), mean_ms},
                          {figure(longest_ms), longest_ms},
                          label_of(trace.lanes[sums[i].longest.lane])});
  }
  body.table(table);
}

std::string what_is_left_out(const TraceInput& trace, const TimelineChart& chart) {
  std::string text;
  if (const auto ranks = ranks_of(trace).size(); ranks > kMostTimelineRanks) {
    text += " Only " + std::to_string(kMostTimelineRanks) + " of " + std::to_string(ranks) +
            " ranks are shown.";
  }
  const bool whole = std::all_of(chart.events.begin(), chart.events.end(),
                                 [](const TraceEvent& event) { return event.count == 1; });
  if (!whole) {
    text += " Short events that follow each other closely are drawn as one: " +
            std::to_string(chart.events.size()) + " blocks for " +
            counted(static_cast<int64_t>(trace.events.size()), "event") + ".";
  }
  if (trace.ignored > 0) {
    text += " " + counted(trace.ignored, "event") + " of other types left out.";
  }
  return text;
}

}  // namespace

TimelineChart timeline_of(const TraceInput& trace, size_t most_events) {
  auto chart = chosen_lanes(trace);
  double grain_us = chart.span_us / kFirstGrains;
  const auto all = chart.events;
  while (chart.events.size() > most_events && grain_us < 2 * chart.span_us) {
    chart.events = merged(all, grain_us);
    grain_us *= 2;
  }
  return chart;
}

std::vector<Finding> trace_findings(const TraceInput& trace) {
  const auto sums = sums_of(trace);
  const auto most = std::max_element(
      sums.begin(), sums.end(),
      [](const NameSums& a, const NameSums& b) { return a.total_us < b.total_us; });
  const auto& name = trace.names[static_cast<size_t>(most - sums.begin())];
  return {{Finding::Kind::kLead,
           "Timeline (" + trace.source + ")" + (trace.file.empty() ? "" : " of " + trace.file) +
               ": " + counted(static_cast<int64_t>(ranks_of(trace).size()), "rank") + ", " +
               figure(span_of(trace) / kUsPerMs) + " ms, " +
               counted(static_cast<int64_t>(trace.events.size()), "event") + "."},
          {Finding::Kind::kPlain, "Most time, summed over ranks, went to " + name + ": " +
                                      figure(most->total_us / kUsPerMs) + " ms."}};
}

void add_trace_section(const TraceInput& trace, PageBody& body) {
  body.section("Timeline: " + trace.source);
  auto chart = timeline_of(trace, kMostTimelineEvents);
  const auto left_out = what_is_left_out(trace, chart);
  body.chart("What each rank did" + (trace.file.empty() ? "" : ", " + trace.file),
             "A row for each rank and what runs there at the same time. What lies within another "
             "is drawn lower." +
                 left_out,
             std::move(chart));
  body.note("Every event, with its details: open " + trace.source +
            " at ui.perfetto.dev (Open trace file; it stays on your machine) or in Chromium's "
            "chrome://tracing.");
  add_table(trace, body);
}

}  // namespace longshore::cli
