#include <algorithm>
#include <cmath>

#include "lib/bench_results.h"
#include "lib/bench_summary.h"
#include "lib/bench_wins.h"
#include "lib/report_bench.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

using Kind = Finding::Kind;

constexpr int kFewRepetitions = 3;
constexpr size_t kNamed = 5;

template <typename Value>
std::vector<std::string> names_of(const BenchInput& input, Value&& value) {
  std::vector<std::string> names;
  for (const auto& record : input.records) {
    names.push_back(value(record));
  }
  return distinct(std::move(names));
}

int repetitions(const BenchInput& input) {
  int most = 0;
  for (const auto& record : input.records) {
    most = std::max(most, record.repetition);
  }
  return most + 1;
}

std::string rank_list(const BenchInput& input) {
  auto ranks = names_of(input, [](const auto& record) { return std::to_string(record.ranks); });
  std::sort(ranks.begin(), ranks.end(),
            [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
  return listed(ranks) + (ranks == std::vector<std::string>{"1"} ? " rank" : " ranks");
}

// The variants of a sweep as one.
std::vector<std::string> variants_of(const BenchInput& input) {
  auto variants = names_of(input, [](const auto& record) { return record.variant; });
  const auto is_swept = [](const std::string& one) {
    return one.starts_with(std::string(kOurs) + " ");
  };
  const auto swept = std::count_if(variants.begin(), variants.end(), is_swept);
  if (swept > 1) {
    std::erase_if(variants, is_swept);
    variants.push_back(std::string(kOurs) + " with " + counted(swept, "combination") + " of hints");
  }
  return variants;
}

Finding what(const BenchInput& input) {
  const auto workloads = names_of(input, [](const auto& record) { return record.workload; });
  const auto mpis =
      names_of(input, [](const auto& record) { return std::string(name(record.mpi)); });
  const auto dirs = names_of(input, [](const auto& record) { return record.dir; });
  return {Kind::kLead, "Measured (" + input.source +
                           "): " + counted(static_cast<int64_t>(workloads.size()), "workload") +
                           " (" + listed(workloads) + ") with " + listed(mpis) + " on " +
                           rank_list(input) + " in " + listed(dirs) + ": " +
                           listed(variants_of(input)) + "; " +
                           counted(static_cast<int64_t>(input.records.size()), "launch") + ", " +
                           counted(repetitions(input), "repetition") + "."};
}

// Rows that are told of together, whatever their ranks: those with a ratio to stock.
struct Group {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string op;
  bool independent = false;
  std::vector<const SummaryRow*> rows;
};

std::vector<Group> groups_of(const std::vector<SummaryRow>& rows) {
  std::vector<Group> groups;
  for (const auto& row : rows) {
    if (!ratio_of(row.ours, row.stock)) {
      continue;
    }
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.mpi == row.mpi && group.op == row.op && group.independent == row.independent;
    });
    if (found == groups.end()) {
      found = groups.insert(groups.end(), {row.mpi, row.op, row.independent, {}});
    }
    found->rows.push_back(&row);
  }
  return groups;
}

// Of the ratios to stock, or of dense rows to the limit; 0 if there is none.
double mean_of(const Group& group, bool to_limit) {
  double sum = 0;
  int count = 0;
  for (const auto* row : group.rows) {
    const auto ratio = ratio_of(row->ours, to_limit ? row->limit : row->stock);
    if (ratio && (row->dense || !to_limit)) {
      sum += std::log(*ratio);
      ++count;
    }
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

std::string where(const SummaryRow& row) {
  return row.workload + " on " + counted(row.ranks, "rank") + " in " + row.dir;
}

std::string spread(const std::vector<const SummaryRow*>& rows) {
  const auto less = [](const SummaryRow* a, const SummaryRow* b) {
    return *ratio_of(a->ours, a->stock) < *ratio_of(b->ours, b->stock);
  };
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), less);
  if (rows.size() == 1) {
    return where(**least);
  }
  return "geometric mean of " + std::to_string(rows.size()) + ": from " +
         figure(*ratio_of((*least)->ours, (*least)->stock)) + ", " + where(**least) + ", to " +
         figure(*ratio_of((*most)->ours, (*most)->stock)) + ", " + where(**most);
}

std::string chance(const std::vector<const SummaryRow*>& rows) {
  const auto unclear = std::count_if(rows.begin(), rows.end(), [](const SummaryRow* row) {
    return overlap(row->ours, row->stock);
  });
  if (unclear == 0) {
    return "";
  }
  return rows.size() == 1 ? " The ranges overlap: this may be chance."
                          : " In " + std::to_string(unclear) +
                                " of these the ranges overlap: they "
                                "may be chance.";
}

Finding mean_finding(const Group& group) {
  const bool all_overlap =
      std::all_of(group.rows.begin(), group.rows.end(),
                  [](const SummaryRow* row) { return overlap(row->ours, row->stock); });
  const double to_stock = mean_of(group, false);
  const double to_limit = mean_of(group, true);
  std::string text = std::string(group.independent ? "Independent" : "Collective") + " " +
                     group.op + "s, " + std::string(name(group.mpi)) + ": " + figure(to_stock) +
                     " times stock (" + spread(group.rows) + ")";
  text += to_limit > 0 ? ", " + figure(to_limit) + " of the limit." : ".";
  const auto kind = all_overlap ? Kind::kUnsure : to_stock >= 1 ? Kind::kGood : Kind::kBad;
  return {kind, text + chance(group.rows)};
}

void add_slower(const std::vector<SummaryRow>& rows, std::vector<Finding>& findings) {
  std::vector<std::string> slower;
  for (const auto& row : rows) {
    const auto ratio = ratio_of(row.ours, row.stock);
    if (ratio && *ratio < 1 && !overlap(row.ours, row.stock)) {
      slower.push_back(row.workload + " " + row.op + ", " + std::string(name(row.mpi)) + ", " +
                       counted(row.ranks, "rank") + ", " + row.dir + " (" + figure(*ratio) + ")");
    }
  }
  if (!slower.empty()) {
    findings.push_back({Kind::kBad, "Slower than stock, with ranges that do not overlap: " +
                                        listed(slower, kNamed) + "."});
  }
}

// "2 in 5 of 8 (3), 1 in 3 of 8 (0)", the best first.
std::string standings(const std::vector<ValueWins>& wins, const std::string& key) {
  std::vector<ValueWins> sums;
  for (const auto& one : wins) {
    if (one.key != key) {
      continue;
    }
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [&](const ValueWins& sum) { return sum.value == one.value; });
    if (found == sums.end()) {
      sums.push_back(one);
    } else {
      found->contests += one.contests;
      found->wins += one.wins;
      found->clear += one.clear;
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const ValueWins& a, const ValueWins& b) { return a.wins > b.wins; });
  std::vector<std::string> parts;
  for (const auto& sum : sums) {
    parts.push_back((sum.value.empty() ? "(none)" : sum.value) + " in " + std::to_string(sum.wins) +
                    " of " + std::to_string(sum.contests) + " (" + std::to_string(sum.clear) + ")");
  }
  return listed(parts, kNamed);
}

void add_sweeps(const std::vector<SummaryRow>& rows, std::vector<Finding>& findings) {
  const auto wins = count_wins(rows);
  std::vector<std::string> keys;
  for (const auto& one : wins) {
    keys.push_back(one.key);
  }
  for (const auto& key : distinct(keys)) {
    findings.push_back({Kind::kPlain, "Fastest value of " + key + ": " + standings(wins, key) +
                                          "; MPIs and directions together, in brackets those with "
                                          "ranges above the others'."});
  }
}

void add_failures(const BenchInput& input, std::vector<Finding>& findings) {
  std::vector<std::string> failed;
  for (const auto& record : input.records) {
    if (record.outcome != RunOutcome::kOk) {
      failed.push_back(record.variant + " " + std::string(name(record.outcome)) + " (" +
                       record.workload + ", " + std::string(name(record.mpi)) + ", " +
                       counted(record.ranks, "rank") + ", " + record.dir + ")");
    }
  }
  if (!failed.empty()) {
    const auto count = static_cast<int64_t>(failed.size());
    findings.push_back({Kind::kBad, counted(count, "launch") + " did not end well: " +
                                        listed(distinct(failed), kNamed) + "."});
  }
}

void add_missing(const BenchInput& input, std::vector<Finding>& findings) {
  const auto variants = names_of(input, [](const auto& record) { return record.variant; });
  const auto has = [&](std::string_view kind) {
    return std::any_of(variants.begin(), variants.end(),
                       [&](const std::string& one) { return one.starts_with(kind); });
  };
  for (const auto kind : {kStock, kOurs, kLimit}) {
    if (!has(kind)) {
      findings.push_back({Kind::kUnsure, "No figures of " + std::string(kind) +
                                             ": nothing can be said of how it compares."});
    }
  }
  if (repetitions(input) < kFewRepetitions) {
    findings.push_back({Kind::kUnsure, "Only " + counted(repetitions(input), "repetition") +
                                           ": ranges of so few say little."});
  }
  const std::string unsaid = input.machine.empty()
                                 ? "on which machine it was made, nor what else ran there"
                                 : "what else ran on the machine";
  findings.push_back({Kind::kUnsure, "The file does not say " + unsaid +
                                         ": compare ratios within it, not speeds with other "
                                         "files."});
}

}  // namespace

std::vector<Finding> bench_findings(const BenchInput& input) {
  const auto rows = summarize(input.records);
  const bool swept = !count_wins(rows).empty();
  std::vector<Finding> findings = {what(input)};
  if (swept) {
    add_sweeps(rows, findings);
  } else {
    for (const auto& group : groups_of(rows)) {
      findings.push_back(mean_finding(group));
    }
    add_slower(rows, findings);
  }
  add_failures(input, findings);
  add_missing(input, findings);
  return findings;
}

}  // namespace longshore::cli
