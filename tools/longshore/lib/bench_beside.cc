#include "lib/bench_beside.h"

#include <algorithm>

#include "lib/bench_text.h"

namespace longshore::cli {
namespace {

constexpr const char* kEnding = "_rows";
constexpr size_t kNameWidth = 20;
constexpr size_t kDirColumn = 12;

bool belong_together(const SummaryRow& rows, const SummaryRow& collective) {
  return rows.independent && !collective.independent &&
         rows.workload == collective.workload + kEnding && rows.ranks == collective.ranks &&
         rows.dir == collective.dir && rows.op == collective.op && rows.mpi == collective.mpi &&
         rows.variant == collective.variant;
}

std::string ratio_text(const SpeedCell& a, const SpeedCell& b) {
  const auto ratio = ratio_of(a, b);
  return ratio ? number(*ratio, 2) + (overlap(a, b) ? "~" : " ") : "- ";
}

std::string line_of(const RowsBeside& pair) {
  const auto& rows = *pair.rows;
  const auto& collective = *pair.collective;
  return "  " + padded(rows.workload, kNameWidth) + right(std::to_string(rows.ranks), 2) + "  " +
         padded(short_dir(rows.dir), kDirColumn) + " " + padded(rows.op, 6) +
         padded(std::string(name(rows.mpi)), 8) + "|" + right(speed(collective.stock), 8) +
         right(speed(collective.ours), 8) + "  |" + right(speed(rows.stock), 8) +
         right(speed(rows.ours), 8) + "  |" + right(ratio_text(rows.ours, collective.stock), 8) +
         right(ratio_text(rows.ours, collective.ours), 8) +
         (rows.variant == kOurs ? "" : "  " + rows.variant.substr(kOurs.size() + 1)) + "\n";
}

}  // namespace

std::vector<RowsBeside> pair_rows(const std::vector<SummaryRow>& all) {
  std::vector<RowsBeside> pairs;
  for (const auto& row : all) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const SummaryRow& other) {
      return belong_together(row, other);
    });
    if (found != all.end()) {
      pairs.push_back({&row, &*found});
    }
  }
  return pairs;
}

std::string beside_collective(const std::vector<SummaryRow>& all) {
  const auto pairs = pair_rows(all);
  if (pairs.empty()) {
    return "";
  }
  const std::string blank(kNameWidth + kDirColumn + 21, ' ');
  std::string text =
      "\nThe same bytes by collective calls, and row by row by independent ones (MB/s)\n";
  text += blank + "| collective       | row by row       | our rows to collective\n";
  text += blank + "|   stock    ours  |   stock    ours  |   stock    ours\n";
  for (const auto& pair : pairs) {
    text += line_of(pair);
  }
  return text;
}

}  // namespace longshore::cli
