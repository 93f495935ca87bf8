// lib/bench_summary.h - medians, ratios and how they stand to the goals.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/bench_types.h"

namespace longshore::cli {

// Speeds of one variant in MB/s (10^6 bytes), over the launches that ended well.
struct SpeedCell {
  bool wanted = false;  // the variant was part of the benchmark
  int runs = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  bool dirty_holes = false;              // in some launch
  RunOutcome why_not = RunOutcome::kOk;  // of a launch that did not end well
};

// One MPI's figures for a workload, ranks, directory, direction and variant of Longshore.
struct SummaryRow {
  std::string workload;
  std::string label;  // the workload; where others have independent calls, whether its own are not
  int ranks = 0;
  std::string dir;
  std::string op;  // write or read
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string variant;  // of longshore; "longshore" without a sweep
  bool dense = true;
  bool independent = false;
  SpeedCell stock;
  SpeedCell ours;
  SpeedCell limit;
};

// In the order of the launches; for each case write, then read; for each MPI its variants.
[[nodiscard]] std::vector<SummaryRow> summarize(const std::vector<RunRecord>& records);

// Of the medians; nothing if one of the two has none.
[[nodiscard]] std::optional<double> ratio_of(const SpeedCell& a, const SpeedCell& b);
// Do the ranges from min to max share a point? Then the ratio says little.
[[nodiscard]] bool overlap(const SpeedCell& a, const SpeedCell& b);

// A group's geometric means, over its rows that have the ratio, and its least ratio to stock.
struct GroupMeans {
  MpiKind mpi = MpiKind::kOpenMpi;
  int ranks = 0;
  std::string op;
  std::string variant;
  bool independent = false;
  int rows = 0;  // that have a ratio to stock
  double to_stock = 0;
  double to_limit = 0;  // dense workloads only; 0 if there is none
  double least = 0;
  std::string least_where;
};
[[nodiscard]] std::vector<GroupMeans> group_means(const std::vector<SummaryRow>& rows);

// A row that misses a goal: at least as fast as stock; and for dense workloads, with collective
// calls 80% of the limit with up to 2 ranks and 65% with more, with independent calls 60% for
// writes.
struct Shortfall {
  const SummaryRow* row = nullptr;
  std::string against;  // stock or limit
  double ratio = 0;
  double goal = 0;
};
[[nodiscard]] std::vector<Shortfall> shortfalls(const std::vector<SummaryRow>& rows);

// The groups that miss the goal for means: with independent calls on 4 ranks, kMeanGoal times
// stock.
inline constexpr double kMeanGoal = 1.5;
[[nodiscard]] std::vector<GroupMeans> low_means(const std::vector<SummaryRow>& rows);

// Did anything go wrong that counts: wrong bytes anywhere, or a launch of longshore or of the limit
// that failed or exceeded its time.
[[nodiscard]] bool all_well(const std::vector<RunRecord>& records);

}  // namespace longshore::cli
