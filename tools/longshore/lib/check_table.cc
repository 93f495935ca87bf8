#include "lib/check_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/bench_text.h"

namespace longshore::cli {
namespace {

constexpr int kWrongPercent = 2;
constexpr int kFoundPercent = 95;
constexpr int64_t kKibi = 1024;
constexpr int kDecimals = 2;
constexpr size_t kFirstFigure = 5;  // columns from here on are flush right

constexpr std::array<size_t, 10> kWidths = {4, 50, 5, 9, 7, 5, 9, 8, 7, 15};

bool failed(const CheckRecord& record) {
  return !record.wrong.empty() || record.judged.verdict == Verdict::kFail;
}

// Worst first: wrong bytes, fails by ratio, undecided ones by ratio, passes by ratio.
bool worse(const CheckRecord& x, const CheckRecord& y) {
  const auto weight = [](const CheckRecord& record) {
    return !record.wrong.empty()                          ? 3
           : record.judged.verdict == Verdict::kFail      ? 2
           : record.judged.verdict == Verdict::kUndecided ? 1
                                                          : 0;
  };
  return std::pair(weight(x), x.judged.ratio) > std::pair(weight(y), y.judged.ratio);
}

// What a line of the table stands for: all sizes of a rule in a launch and direction.
using Key = std::tuple<size_t, std::string, MpiKind, std::string, int, std::string>;

struct Row {
  const CheckRecord* worst = nullptr;
  int cases = 0;
  int fails = 0;
  int undecided = 0;
};

// By rule first, in the program's order, so that MPI-IOs stand below each other.
std::vector<Row> rows_of(const std::vector<CheckRecord>& records) {
  std::map<std::string, size_t> order;
  std::map<Key, Row> rows;
  for (const auto& record : records) {
    if (!record.skipped.empty()) {
      continue;
    }
    const size_t place = order.emplace(record.name, order.size()).first->second;
    auto& row =
        rows[{place, record.operation, record.mpi, record.mpi_io, record.ranks, record.dir}];
    row.worst = row.worst == nullptr || worse(record, *row.worst) ? &record : row.worst;
    ++row.cases;
    row.fails += failed(record) ? 1 : 0;
    row.undecided += !failed(record) && record.judged.verdict == Verdict::kUndecided ? 1 : 0;
  }
  std::vector<Row> all;
  for (const auto& [key, row] : rows) {
    all.push_back(row);
  }
  return all;
}

std::string ratio_text(const CheckRecord& record) {
  return record.judged.trials > 0 ? number(record.judged.ratio, kDecimals) : "-";
}

std::string interval_text(const Judgement& judged) {
  return judged.high > 0 ? number(judged.low, kDecimals) + " .. " + number(judged.high, kDecimals)
                         : "-";
}

std::string verdict_text(const Row& row) {
  if (!row.worst->wrong.empty()) {
    return "WRONG BYTES";
  }
  const auto of_all = " " + std::to_string(row.cases);
  if (row.fails > 0) {
    return "FAIL " + std::to_string(row.fails) + " of" + of_all;
  }
  return row.undecided > 0 ? "undecided " + std::to_string(row.undecided) + " of" + of_all
                           : "pass" + of_all;
}

std::string line_of(const std::vector<std::string>& cells, const std::string& last) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool figure = i >= kFirstFigure;
    line += (figure ? right(cells[i], kWidths[i]) : padded(cells[i], kWidths[i])) + " ";
  }
  return line + " " + last + "\n";
}

std::string table_of(const std::vector<CheckRecord>& records) {
  auto text = line_of(
      {"rule", "A vs B", "", "MPI-IO", "MPI", "ranks", "dir", "worst at", "A/B", "interval"},
      "verdict");
  for (const auto& row : rows_of(records)) {
    const auto& worst = *row.worst;
    text +=
        line_of({worst.rule, worst.name, worst.operation, worst.mpi_io,
                 std::string(name(worst.mpi)), std::to_string(worst.ranks), short_dir(worst.dir),
                 size_text(worst.bytes), ratio_text(worst), interval_text(worst.judged)},
                verdict_text(row));
  }
  return text;
}

std::string where_text(const CheckRecord& record) {
  return record.mpi_io + " on " + std::string(name(record.mpi)) + ", " +
         std::to_string(record.ranks) + " ranks, " + record.dir;
}

std::string failures_of(const std::vector<CheckRecord>& records) {
  std::string text;
  for (const auto& row : rows_of(records)) {
    const auto& worst = *row.worst;
    if (!failed(worst)) {
      continue;
    }
    text += "  (" + worst.rule + ") " + worst.operation + ", " + where_text(worst) + ", " +
            size_text(worst.bytes) + ": ";
    if (!worst.wrong.empty()) {
      text += worst.wrong + "\n";
      continue;
    }
    text += worst.a + " takes " + number(worst.judged.ratio, kDecimals) + " times as long as " +
            worst.b + "\n      " + worst.advice + "\n";
  }
  return text.empty() ? "" : "\nWhat fails, and what would mend it\n" + text;
}

// Each reason once for a rule and a launch.
std::string skipped_of(const std::vector<CheckRecord>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) {
    const auto line = "  (" + record.rule + ") " + record.name + ", " + where_text(record) + ": " +
                      record.skipped + "\n";
    if (!record.skipped.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) {
      lines.push_back(line);
    }
  }
  std::string text;
  for (const auto& line : lines) {
    text += line;
  }
  return text.empty() ? "" : "\nNot measured\n" + text;
}

std::string mishaps_of(const std::vector<CheckMishap>& mishaps) {
  std::string text;
  for (const auto& mishap : mishaps) {
    text += "  " + mishap.where + ": " + mishap.what + "\n";
  }
  return text.empty() ? "" : "\nLaunches that did not end well\n" + text;
}

}  // namespace

std::string size_text(int64_t bytes) {
  const std::array<std::string_view, 3> units = {" B", " KiB", " MiB"};
  size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= kKibi && bytes % kKibi == 0) {
    bytes /= kKibi;
    ++unit;
  }
  return std::to_string(bytes) + std::string(units[unit]);
}

CheckCount count_of(const CheckResults& results) {
  CheckCount count;
  for (const auto& record : results.records) {
    if (!record.skipped.empty()) {
      ++count.skipped;
    } else if (failed(record)) {
      ++count.fail;
    } else {
      ++(record.judged.verdict == Verdict::kPass ? count.pass : count.undecided);
    }
  }
  return count;
}

std::string check_report(const CheckResults& results, double tolerance) {
  const auto count = count_of(results);
  return table_of(results.records) + failures_of(results.records) + skipped_of(results.records) +
         mishaps_of(results.mishaps) + "\nA may take " + number(tolerance * 100, 0) +
         "% more time than B. " + std::to_string(count.pass) + " pass, " +
         std::to_string(count.fail) + " fail, " + std::to_string(count.undecided) + " undecided, " +
         std::to_string(count.skipped) + " not measured.\n";
}

bool SelfTest::good() const {
  return same > 0 && slowed > 0 && 100 * same_failed <= kWrongPercent * same &&
         100 * slowed_found >= kFoundPercent * slowed;
}

SelfTest self_test_of(const CheckResults& results) {
  SelfTest test;
  for (const auto& record : results.records) {
    const auto verdict = record.judged.verdict;
    if (record.variant == "same") {
      ++test.same;
      test.same_failed += verdict == Verdict::kFail ? 1 : 0;
    } else if (record.variant == "slowed") {
      ++test.slowed;
      test.slowed_found += verdict == Verdict::kFail ? 1 : 0;
      test.slowed_passed += verdict == Verdict::kPass ? 1 : 0;
    }
  }
  return test;
}

std::string self_test_report(const SelfTest& test) {
  return "the same operation twice: " + std::to_string(test.same_failed) + " of " +
         std::to_string(test.same) + " called slower than itself (at most " +
         std::to_string(kWrongPercent) + "%)\nslowed by 30%: " + std::to_string(test.slowed_found) +
         " of " + std::to_string(test.slowed) + " found (at least " +
         std::to_string(kFoundPercent) + "%), " + std::to_string(test.slowed_passed) +
         " called no slower\nself-test: " + (test.good() ? "good" : "NOT GOOD") + "\n";
}

}  // namespace longshore::cli
