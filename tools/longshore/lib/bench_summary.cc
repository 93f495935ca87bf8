#include "lib/bench_summary.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace longshore::cli {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kGoalToStock = 1.0;
constexpr int kMeanGoalRanks = 4;

bool is_ours(const RunRecord& record) { return record.variant.starts_with(kOurs); }

bool same_case(const RunRecord& record, const SummaryRow& row) {
  return record.workload == row.workload && record.ranks == row.ranks && record.dir == row.dir;
}

double median_of(std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

SpeedCell cell_of(const std::vector<RunRecord>& records, const SummaryRow& row,
                  const std::string& variant) {
  SpeedCell cell;
  std::vector<double> speeds;
  for (const auto& record : records) {
    if (!same_case(record, row) || record.mpi != row.mpi || record.variant != variant) {
      continue;
    }
    cell.wanted = true;
    cell.dirty_holes = cell.dirty_holes || record.dirty_holes;
    const double seconds = row.op == "write" ? record.write_seconds : record.read_seconds;
    if (record.outcome != RunOutcome::kOk) {
      cell.why_not = record.outcome == RunOutcome::kSkipped ? RunOutcome::kTimeout : record.outcome;
    } else if (seconds > 0) {
      speeds.push_back(static_cast<double>(record.bytes) / seconds / kMegabyte);
    }
  }
  if (!speeds.empty()) {
    std::sort(speeds.begin(), speeds.end());
    cell.runs = static_cast<int>(speeds.size());
    cell.min = speeds.front();
    cell.max = speeds.back();
    cell.median = median_of(speeds);
  }
  return cell;
}

bool same_row(const SummaryRow& a, const SummaryRow& b) {
  return a.workload == b.workload && a.ranks == b.ranks && a.dir == b.dir && a.op == b.op &&
         a.mpi == b.mpi && a.variant == b.variant;
}

// Rows without figures. Where longshore was not measured there is one row for stock and limit.
std::vector<SummaryRow> blank_rows(const std::vector<RunRecord>& records) {
  const bool any_ours = std::any_of(records.begin(), records.end(), is_ours);
  std::vector<SummaryRow> rows;
  for (const auto& record : records) {
    if (any_ours && !is_ours(record)) {
      continue;
    }
    const auto variant = any_ours ? record.variant : std::string(kOurs);
    for (const char* op : {"write", "read"}) {
      SummaryRow row;
      row.workload = record.workload;
      row.ranks = record.ranks;
      row.dir = record.dir;
      row.op = op;
      row.mpi = record.mpi;
      row.variant = variant;
      row.dense = record.dense;
      row.independent = record.independent;
      if (std::none_of(rows.begin(), rows.end(),
                       [&](const SummaryRow& other) { return same_row(row, other); })) {
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

// The place of a row's case in the order of the launches.
size_t place_of(const std::vector<RunRecord>& records, const SummaryRow& row) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const RunRecord& record) { return same_case(record, row); });
  return static_cast<size_t>(found - records.begin());
}

void set_labels(std::vector<SummaryRow>& rows) {
  const bool some_alone =
      std::any_of(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.independent; });
  for (auto& row : rows) {
    row.label = row.workload + (some_alone && !row.independent ? " (collective)" : "");
  }
}

class GeometricMean {
 public:
  void add(double ratio) {
    sum_ += std::log(ratio);
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? 0 : std::exp(sum_ / count_); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

bool in_group(const SummaryRow& row, const GroupMeans& group) {
  return row.mpi == group.mpi && row.ranks == group.ranks && row.op == group.op &&
         row.variant == group.variant && row.independent == group.independent;
}

void fill_group(const std::vector<SummaryRow>& rows, GroupMeans& group) {
  GeometricMean to_stock;
  GeometricMean to_limit;
  for (const auto& row : rows) {
    if (!in_group(row, group)) {
      continue;
    }
    if (const auto ratio = ratio_of(row.ours, row.stock)) {
      to_stock.add(*ratio);
      if (++group.rows == 1 || *ratio < group.least) {
        group.least = *ratio;
        group.least_where = row.workload + " " + row.dir;
      }
    }
    if (const auto ratio = ratio_of(row.ours, row.limit); ratio && row.dense) {
      to_limit.add(*ratio);
    }
  }
  group.to_stock = to_stock.value();
  group.to_limit = to_limit.value();
}

// 0 where there is none.
double goal_to_limit(const SummaryRow& row) {
  if (!row.dense) {
    return 0;
  }
  if (row.independent) {
    return row.op == "write" ? 0.6 : 0;
  }
  return row.ranks <= 2 ? 0.8 : 0.65;
}

}  // namespace

std::vector<SummaryRow> summarize(const std::vector<RunRecord>& records) {
  auto rows = blank_rows(records);
  std::stable_sort(rows.begin(), rows.end(), [&](const SummaryRow& a, const SummaryRow& b) {
    const auto key = [&](const SummaryRow& row) {
      return std::tuple(place_of(records, row), row.op == "read", row.mpi == MpiKind::kMpich);
    };
    return key(a) < key(b);
  });
  set_labels(rows);
  for (auto& row : rows) {
    row.stock = cell_of(records, row, std::string(kStock));
    row.ours = cell_of(records, row, row.variant);
    row.limit = cell_of(records, row, std::string(kLimit));
  }
  return rows;
}

std::optional<double> ratio_of(const SpeedCell& a, const SpeedCell& b) {
  if (a.runs == 0 || b.runs == 0 || b.median <= 0) {
    return std::nullopt;
  }
  return a.median / b.median;
}

bool overlap(const SpeedCell& a, const SpeedCell& b) { return a.min <= b.max && b.min <= a.max; }

std::vector<GroupMeans> group_means(const std::vector<SummaryRow>& rows) {
  std::vector<GroupMeans> groups;
  for (const auto& row : rows) {
    const bool known = std::any_of(groups.begin(), groups.end(),
                                   [&](const GroupMeans& group) { return in_group(row, group); });
    if (!known) {
      groups.push_back({row.mpi, row.ranks, row.op, row.variant, row.independent, 0, 0, 0, 0, ""});
      fill_group(rows, groups.back());
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const GroupMeans& a, const GroupMeans& b) {
    return std::tuple(a.independent, a.mpi, a.ranks, a.op == "read", a.variant) <
           std::tuple(b.independent, b.mpi, b.ranks, b.op == "read", b.variant);
  });
  return groups;
}

std::vector<Shortfall> shortfalls(const std::vector<SummaryRow>& rows) {
  std::vector<Shortfall> found;
  for (const auto& row : rows) {
    if (const auto ratio = ratio_of(row.ours, row.stock); ratio && *ratio < kGoalToStock) {
      found.push_back({&row, std::string(kStock), *ratio, kGoalToStock});
    }
    const double goal = goal_to_limit(row);
    if (const auto ratio = ratio_of(row.ours, row.limit); ratio && *ratio < goal) {
      found.push_back({&row, std::string(kLimit), *ratio, goal});
    }
  }
  return found;
}

std::vector<GroupMeans> low_means(const std::vector<SummaryRow>& rows) {
  auto groups = group_means(rows);
  std::erase_if(groups, [](const GroupMeans& group) {
    return !group.independent || group.ranks != kMeanGoalRanks || group.rows == 0 ||
           group.to_stock >= kMeanGoal;
  });
  return groups;
}

bool all_well(const std::vector<RunRecord>& records) {
  return std::none_of(records.begin(), records.end(), [](const RunRecord& record) {
    return record.outcome == RunOutcome::kWrong ||
           (record.outcome != RunOutcome::kOk && record.variant != kStock);
  });
}

}  // namespace longshore::cli
