#include "lib/report_sweep.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "lib/bench_results.h"
#include "lib/report_bench.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

// "longshore a=1 b=x" has the first hint a=1 and the rest "b=x".
struct Swept {
  std::string key;
  std::string value;
  std::string rest;
};

Swept swept_of(const std::string& variant) {
  std::istringstream words(variant);
  std::string word;
  Swept swept;
  words >> word;  // longshore
  if (words >> word) {
    const size_t equal = word.find('=');
    swept.key = word.substr(0, equal);
    swept.value = equal == std::string::npos ? "" : word.substr(equal + 1);
    if (swept.value.empty()) {
      swept.value = "(none)";
    }
  }
  while (words >> word) {
    swept.rest += (swept.rest.empty() ? "" : " ") + word;
  }
  return swept;
}

// With one other hint, its value; with more, key=value of each.
std::string short_rest(const std::string& rest) {
  const bool one = rest.find(' ') == std::string::npos;
  return one ? rest.substr(rest.find('=') + 1) : rest;
}

std::string other_keys(const std::string& rest) {
  std::istringstream words(rest);
  std::vector<std::string> keys;
  for (std::string word; words >> word;) {
    keys.push_back(word.substr(0, word.find('=')));
  }
  return keys.empty() ? "" : " by " + listed(keys);
}

HeatChart::Cell cell_of(const SummaryRow& row, const Swept& swept) {
  HeatChart::Cell cell;
  cell.x = swept.value;
  cell.y = swept.rest.empty() ? case_label(row) : short_rest(swept.rest);
  if (row.ours.runs == 0) {
    cell.note = std::string(name(row.ours.why_not));
  } else {
    cell.value = row.ours.median;
    cell.low = row.ours.min;
    cell.high = row.ours.max;
  }
  return cell;
}

struct Map {
  HeatChart chart;
  std::vector<std::string> cases;  // of each cell
  std::map<std::string, double> best;
};

void add_cell(Map& map, const SummaryRow& row, const Swept& swept) {
  auto cell = cell_of(row, swept);
  map.chart.x_name = swept.key;
  map.chart.unit = "MB/s";
  map.chart.xs.push_back(cell.x);
  map.chart.ys.push_back(cell.y);
  map.cases.push_back(case_label(row));
  if (row.ours.runs > 0) {
    auto& best = map.best[map.cases.back()];
    best = std::max(best, cell.value);
  }
  map.chart.cells.push_back(std::move(cell));
}

void finish(Map& map) {
  auto& chart = map.chart;
  for (size_t i = 0; i < chart.cells.size(); ++i) {
    const double best = map.best[map.cases[i]];
    chart.cells[i].share = best > 0 ? chart.cells[i].value / best : 0;
  }
  chart.xs = distinct(std::move(chart.xs));
  chart.ys = distinct(std::move(chart.ys));
}

}  // namespace

void add_sweep_charts(const std::vector<SummaryRow>& rows, PageBody& body) {
  std::vector<std::pair<std::string, Map>> maps;
  for (const auto& row : rows) {
    const auto swept = swept_of(row.variant);
    if (swept.key.empty() || !row.ours.wanted) {
      continue;
    }
    const auto title = swept.key + other_keys(swept.rest) + ", " + row.op + "s, " +
                       std::string(name(row.mpi)) +
                       (swept.rest.empty() ? "" : ": " + case_label(row));
    auto found =
        std::find_if(maps.begin(), maps.end(), [&](const auto& one) { return one.first == title; });
    if (found == maps.end()) {
      found = maps.insert(maps.end(), {title, Map{}});
    }
    add_cell(found->second, row, swept);
  }
  if (maps.empty()) {
    return;
  }
  body.heading("Sweep");
  std::vector<std::pair<std::string, Chart>> charts;
  for (auto& [title, map] : maps) {
    finish(map);
    charts.emplace_back(title, std::move(map.chart));
  }
  body.chart_grid(std::move(charts),
                  "Medians in MB/s. The stronger the colour, the closer to the best of its case, "
                  "which is bold. A dashed cell did not end well.");
}

}  // namespace longshore::cli
