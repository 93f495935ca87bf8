#include "lib/bench_table.h"

#include <algorithm>
#include <map>

#include "lib/bench_beside.h"
#include "lib/bench_summary.h"
#include "lib/bench_text.h"
#include "lib/bench_wins.h"

namespace longshore::cli {
namespace {

constexpr const char* kColdHeading =
    "Cold reads: each file was dropped from the page cache after it was written.\n";

// Marked with ~ where the two ranges overlap.
std::string ratio(const SpeedCell& a, const SpeedCell& b) {
  const auto value = ratio_of(a, b);
  if (!value) {
    return a.runs > 0 && b.wanted && b.runs == 0 ? ">1 " : "- ";
  }
  return number(*value, *value < 99.5 ? 2 : 0) + (overlap(a, b) ? "~" : " ");
}

bool same_line(const SummaryRow& a, const SummaryRow& b) {
  return a.workload == b.workload && a.ranks == b.ranks && a.dir == b.dir && a.op == b.op &&
         a.variant == b.variant;
}

struct Layout {
  std::vector<MpiKind> mpis;
  size_t workload = 8;
  size_t dir = 3;
  size_t sweep = 0;  // 0: no sweep, no column
};

std::string sweep_of(const SummaryRow& row) {
  return row.variant.size() <= kOurs.size() ? "" : row.variant.substr(kOurs.size() + 1);
}

Layout layout_of(const std::vector<SummaryRow>& rows) {
  Layout layout;
  for (const auto& row : rows) {
    if (std::find(layout.mpis.begin(), layout.mpis.end(), row.mpi) == layout.mpis.end()) {
      layout.mpis.push_back(row.mpi);
    }
    layout.workload = std::max(layout.workload, row.label.size());
    layout.dir = std::max(layout.dir, short_dir(row.dir).size());
    layout.sweep = std::max(layout.sweep, sweep_of(row).size());
  }
  return layout;
}

std::string key_columns(const Layout& layout, const SummaryRow& row) {
  return padded(row.label, layout.workload) + right(std::to_string(row.ranks), 4) + "  " +
         padded(short_dir(row.dir), layout.dir) + "  " + padded(row.op, 5) +
         (layout.sweep > 0 ? "  " + padded(sweep_of(row), layout.sweep) : "");
}

std::string mpi_columns(const SummaryRow* row) {
  if (row == nullptr) {
    return " |" + std::string(40, ' ');
  }
  return " |" + right(speed(row->stock), 8) + right(speed(row->ours), 8) +
         right(speed(row->limit), 8) + right(ratio(row->ours, row->stock), 8) +
         right(ratio(row->ours, row->limit), 8);
}

std::string header(const Layout& layout) {
  SummaryRow titles;
  std::string above(key_columns(layout, titles).size(), ' ');
  std::string below = padded("workload", layout.workload) + "   n  " + padded("dir", layout.dir) +
                      "  op   " + (layout.sweep > 0 ? "  " + padded("hints", layout.sweep) : "");
  for (const auto mpi : layout.mpis) {
    above += " |" + padded("  " + std::string(name(mpi)) + ", MB/s", 40);
    below += " |   stock    ours   limit  /stock  /limit ";
  }
  return above + "\n" + below + "\n";
}

std::string table(const std::vector<SummaryRow>& rows) {
  const auto layout = layout_of(rows);
  std::vector<std::pair<const SummaryRow*, std::map<MpiKind, const SummaryRow*>>> lines;
  for (const auto& row : rows) {
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const auto& one) { return same_line(*one.first, row); });
    if (line == lines.end()) {
      line = lines.insert(lines.end(), {&row, {}});
    }
    line->second[row.mpi] = &row;
  }
  std::string text = header(layout);
  for (const auto& [first, by_mpi] : lines) {
    text += key_columns(layout, *first);
    for (const auto mpi : layout.mpis) {
      const auto found = by_mpi.find(mpi);
      text += mpi_columns(found == by_mpi.end() ? nullptr : found->second);
    }
    text += "\n";
  }
  return text +
         "MB/s: 10^6 bytes, medians. ~: the ranges of the two overlap, so the ratio may be "
         "chance.\n";
}

bool has_calls(const std::vector<SummaryRow>& rows, bool independent) {
  return std::any_of(rows.begin(), rows.end(),
                     [=](const SummaryRow& row) { return row.independent == independent; });
}

std::string calls_of(const GroupMeans& group) {
  return group.independent ? "independent" : "collective";
}

std::string means(const std::vector<SummaryRow>& rows) {
  const bool mixed = has_calls(rows, true) && has_calls(rows, false);
  std::string text =
      "\nGeometric means of ours to stock, and to the limit where there are no holes\n";
  for (const auto& group : group_means(rows)) {
    if (group.rows == 0) {
      continue;
    }
    text += "  " + padded(std::string(name(group.mpi)), 8) + right(std::to_string(group.ranks), 3) +
            " ranks  " + (mixed ? padded(calls_of(group), 13) : "") + padded(group.op, 5) +
            "  /stock " + right(number(group.to_stock, 2), 6) + "  /limit " +
            (group.to_limit > 0 ? right(number(group.to_limit, 2), 5) : "    -") +
            "  least /stock " + number(group.least, 2) + " (" + group.least_where + ")" +
            (group.variant == kOurs ? "" : "  " + group.variant.substr(kOurs.size() + 1)) + "\n";
  }
  return text;
}

std::string goals(const std::vector<SummaryRow>& rows) {
  std::string text = "stock 1.00";
  if (has_calls(rows, false)) {
    text += std::string("; ") + (has_calls(rows, true) ? "collective calls: " : "") +
            "limit 0.80 up to 2 ranks, 0.65 with more";
  }
  if (has_calls(rows, true)) {
    text += "; independent calls: limit 0.60 for writes, stock " + number(kMeanGoal, 2) +
            " in the mean of 4 ranks";
  }
  return text;
}

std::string missed_row(const Shortfall& one, size_t width) {
  const auto& row = *one.row;
  const auto& other = one.against == kStock ? row.stock : row.limit;
  return "  " + padded(row.label, width) + right(std::to_string(row.ranks), 2) + "  " +
         padded(short_dir(row.dir), 6) + " " + padded(row.op, 6) +
         padded(std::string(name(row.mpi)), 8) + "/" + padded(one.against, 6) +
         number(one.ratio, 2) + " of " + number(one.goal, 2) +
         (overlap(row.ours, other) ? " ~" : "") +
         (row.variant == kOurs ? "" : "  " + sweep_of(row)) + "\n";
}

std::string missed_mean(const GroupMeans& group, size_t width) {
  return "  " + padded("mean", width) + right(std::to_string(group.ranks), 2) + "  " +
         padded("", 6) + " " + padded(group.op, 6) + padded(std::string(name(group.mpi)), 8) + "/" +
         padded(std::string(kStock), 6) + number(group.to_stock, 2) + " of " +
         number(kMeanGoal, 2) +
         (group.variant == kOurs ? "" : "  " + group.variant.substr(kOurs.size() + 1)) + "\n";
}

std::string missed_goals(const std::vector<SummaryRow>& rows) {
  const auto found = shortfalls(rows);
  const auto low = low_means(rows);
  if (found.empty() && low.empty()) {
    return "\nEvery row meets the goals.\n";
  }
  const size_t width = std::max<size_t>(15, layout_of(rows).workload + 1);
  std::string text =
      "\n" + std::to_string(found.size() + low.size()) + " below a goal (" + goals(rows) + ")\n";
  for (const auto& one : found) {
    text += missed_row(one, width);
  }
  for (const auto& group : low) {
    text += missed_mean(group, width);
  }
  return text;
}

// Nothing if stock left all holes as they were.
std::string hole_remarks(const std::vector<SummaryRow>& rows) {
  std::vector<std::string> remarks;
  for (const auto& row : rows) {
    const auto remark = "The stock MPI-IO of " + std::string(name(row.mpi)) +
                        " leaves bytes other than zero in the holes of " + row.workload + ".\n";
    if (row.stock.dirty_holes &&
        std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
      remarks.push_back(remark);
    }
  }
  std::string text;
  for (const auto& remark : remarks) {
    text += remark;
  }
  return text;
}

using WinColumn = std::pair<MpiKind, std::string>;  // with a direction

std::string win_cell(int wins, int clear) {
  return right(std::to_string(wins), 9) + " " + padded("(" + std::to_string(clear) + ")", 6);
}

// The row of one value: a cell per column and their sum.
std::string win_row(const std::vector<ValueWins>& all, const ValueWins& value,
                    const std::vector<WinColumn>& columns) {
  std::string text;
  int wins = 0;
  int clear = 0;
  for (const auto& column : columns) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const ValueWins& one) {
      return one.key == value.key && one.value == value.value &&
             WinColumn(one.mpi, one.op) == column;
    });
    const bool there = found != all.end() && found->contests > 0;
    text += there ? win_cell(found->wins, found->clear) : right("-", 9) + "       ";
    wins += there ? found->wins : 0;
    clear += there ? found->clear : 0;
  }
  return text + right(std::to_string(wins), 9) + " (" + std::to_string(clear) + ")";
}

std::vector<WinColumn> win_columns(const std::vector<ValueWins>& all) {
  std::vector<WinColumn> columns;
  for (const auto& one : all) {
    if (std::find(columns.begin(), columns.end(), WinColumn(one.mpi, one.op)) == columns.end()) {
      columns.emplace_back(one.mpi, one.op);
    }
  }
  std::sort(columns.begin(), columns.end(), [](const WinColumn& a, const WinColumn& b) {
    return std::pair(a.first, a.second == "read") < std::pair(b.first, b.second == "read");
  });
  return columns;
}

std::string win_header(const std::string& key, const std::vector<WinColumn>& columns) {
  std::string text = "  " + padded(key, 34);
  for (const auto& [mpi, op] : columns) {
    text += right(std::string(name(mpi)) + " " + op, 15) + " ";
  }
  return text + right("all", 9) + "\n";
}

// Nothing without a sweep.
std::string wins(const std::vector<SummaryRow>& rows) {
  const auto all = count_wins(rows);
  if (std::none_of(all.begin(), all.end(), [](const ValueWins& one) { return one.contests > 0; })) {
    return "";
  }
  const auto columns = win_columns(all);
  std::string text =
      "\nHow often a value is the fastest, all else being equal; in brackets: its range is above "
      "the others'\n";
  std::vector<std::pair<std::string, std::string>> done;
  for (const auto& one : all) {
    const std::pair value(one.key, one.value);
    if (std::find(done.begin(), done.end(), value) != done.end()) {
      continue;
    }
    const bool new_key = done.empty() || done.back().first != one.key;
    text += new_key ? win_header(one.key, columns) : "";
    text += "    " + padded(one.value, 32) + win_row(all, one, columns) + "\n";
    done.push_back(value);
  }
  return text;
}

}  // namespace

std::string bench_report(const std::vector<RunRecord>& records) {
  const auto rows = summarize(records);
  const bool compared = std::any_of(rows.begin(), rows.end(), [](const SummaryRow& row) {
    return row.ours.runs > 0 && (row.stock.wanted || row.limit.wanted);
  });
  const bool cold = std::any_of(records.begin(), records.end(),
                                [](const RunRecord& record) { return record.cold; });
  return (cold ? kColdHeading : "") + table(rows) + hole_remarks(rows) + wins(rows) +
         beside_collective(rows) + (compared ? means(rows) + missed_goals(rows) : "");
}

}  // namespace longshore::cli
