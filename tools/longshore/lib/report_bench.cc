#include "lib/report_bench.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "lib/bench_results.h"
#include "lib/bench_summary.h"
#include "lib/bench_text.h"
#include "lib/report_sweep.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

constexpr const char* kUnit = "MB/s";
constexpr size_t kMostVariants = 4;  // in bars and lines; heat maps have room for more

std::string mpi_of(const SummaryRow& row) { return std::string(name(row.mpi)); }

// "longshore cb_nodes=1" becomes "cb_nodes=1".
std::string short_variant(const std::string& variant) {
  const std::string prefix = std::string(kOurs) + " ";
  return variant.starts_with(prefix) ? variant.substr(prefix.size()) : variant;
}

std::vector<std::string> variants_of(const std::vector<SummaryRow>& rows) {
  std::vector<std::string> variants;
  for (const auto& row : rows) {
    variants.push_back(row.variant);
  }
  return distinct(std::move(variants));
}

BarsChart::Bar bar_of(const std::string& series, const SpeedCell& cell) {
  if (cell.runs == 0) {
    return {series, kNoFigure, kNoFigure, kNoFigure, std::string(name(cell.why_not))};
  }
  return {series, cell.median, cell.min, cell.max, ""};
}

// The group of a case, made when it is first asked for, with the bars that all variants share.
BarsChart::Group& group_of(BarsChart& chart, const SummaryRow& row) {
  const auto label = case_label(row);
  const auto found = std::find_if(chart.groups.begin(), chart.groups.end(),
                                  [&](const auto& group) { return group.label == label; });
  if (found != chart.groups.end()) {
    return *found;
  }
  auto& group = chart.groups.emplace_back();
  group.label = label;
  if (row.stock.wanted) {
    group.bars.push_back(bar_of(std::string(kStock), row.stock));
  }
  if (row.limit.wanted) {
    group.bars.push_back(bar_of(std::string(kLimit), row.limit));
  }
  return group;
}

// In the order stock, variants of longshore, limit.
std::vector<std::string> series_of(const BarsChart& chart) {
  std::vector<std::string> series;
  for (const auto& group : chart.groups) {
    for (const auto& bar : group.bars) {
      series.push_back(bar.series);
    }
  }
  series = distinct(std::move(series));
  std::stable_sort(series.begin(), series.end(), [](const auto& a, const auto& b) {
    const auto place = [](const std::string& one) {
      return one == kStock ? 0 : one == kLimit ? 2 : 1;
    };
    return place(a) < place(b);
  });
  return series;
}

void add_bars(const std::vector<SummaryRow>& rows, PageBody& body) {
  std::map<std::pair<MpiKind, std::string>, BarsChart> charts;
  for (const auto& row : rows) {
    auto& group = group_of(charts[{row.mpi, row.op == "write" ? "0write" : "1read"}], row);
    if (row.ours.wanted) {
      group.bars.push_back(bar_of(short_variant(row.variant), row.ours));
    }
  }
  std::vector<std::pair<std::string, Chart>> titled;
  for (auto& [key, chart] : charts) {
    chart.unit = kUnit;
    chart.series = series_of(chart);
    const std::string title = key.second.substr(1) + "s, " + std::string(name(key.first));
    titled.emplace_back(std::string(1, static_cast<char>(std::toupper(title[0]))) + title.substr(1),
                        std::move(chart));
  }
  body.chart_grid(std::move(titled),
                  "Bars are medians, the lines on them reach from the least to the greatest "
                  "repetition. Longer is faster. The table below has the figures.");
}

// --- lines

void add_point(LinesChart& chart, const SummaryRow& row, double x, const std::string& series,
               const SpeedCell& cell) {
  if (cell.runs == 0) {
    return;
  }
  const auto already = [&](const LinesChart::Point& point) {
    return point.x == x && point.panel == row.op && point.series == mpi_of(row) + " " + series;
  };
  if (std::none_of(chart.points.begin(), chart.points.end(), already)) {
    chart.points.push_back({x, cell.median, cell.min, cell.max, mpi_of(row) + " " + series, series,
                            row.mpi == MpiKind::kMpich, row.op});
  }
}

void add_points(LinesChart& chart, const SummaryRow& row, double x) {
  add_point(chart, row, x, std::string(kStock), row.stock);
  add_point(chart, row, x, short_variant(row.variant), row.ours);
  add_point(chart, row, x, std::string(kLimit), row.limit);
}

bool has_lines(const LinesChart& chart) {
  std::set<double> xs;
  for (const auto& point : chart.points) {
    xs.insert(point.x);
  }
  return xs.size() > 1;
}

void add_lines_over_ranks(const std::vector<SummaryRow>& rows, PageBody& body) {
  std::vector<std::pair<std::string, LinesChart>> charts;
  for (const auto& row : rows) {
    const auto title = row.label + ", " + short_dir(row.dir);
    auto found = std::find_if(charts.begin(), charts.end(),
                              [&](const auto& one) { return one.first == title; });
    if (found == charts.end()) {
      found = charts.insert(charts.end(), {title, LinesChart{"ranks", kUnit, false, 0, {}}});
    }
    add_points(found->second, row, row.ranks);
  }
  std::erase_if(charts, [](const auto& one) { return !has_lines(one.second); });
  if (!charts.empty()) {
    body.heading("Over ranks");
    body.chart_grid(
        {std::make_move_iterator(charts.begin()), std::make_move_iterator(charts.end())},
        "Medians with their ranges. MPICH is dashed. More ranks than cores share them.");
  }
}

// --- the table

HtmlCell speed_cell(const SpeedCell& cell) {
  if (cell.runs == 0) {
    return {speed(cell)};
  }
  return {figure_with_range(cell.median, cell.min, cell.max), cell.median};
}

HtmlCell ratio_cell(const SpeedCell& ours, const SpeedCell& other) {
  const auto ratio = ratio_of(ours, other);
  if (!ratio) {
    return {"-"};
  }
  return {figure(*ratio) + (overlap(ours, other) ? " ~" : ""), *ratio};
}

void add_table(const std::vector<SummaryRow>& rows, PageBody& body) {
  HtmlTable table;
  table.caption =
      "Medians in MB/s (10^6 bytes), in brackets the least and the greatest. A ~ says "
      "that the two ranges overlap, so that the ratio may be chance.";
  table.columns = {{"workload"},    {"ranks", true},    {"dir"},           {"op"},
                   {"MPI"},         {"variant"},        {"stock", true},   {"longshore", true},
                   {"limit", true}, {"to stock", true}, {"to limit", true}};
  const bool swept = variants_of(rows).size() > 1;
  if (!swept) {
    table.columns.erase(table.columns.begin() + 5);
  }
  for (const auto& row : rows) {
    std::vector<HtmlCell> cells = {row.label,
                                   {std::to_string(row.ranks), static_cast<double>(row.ranks)},
                                   row.dir,
                                   row.op,
                                   mpi_of(row)};
    if (swept) {
      cells.emplace_back(short_variant(row.variant));
    }
    for (const auto& cell : {speed_cell(row.stock), speed_cell(row.ours), speed_cell(row.limit),
                             ratio_cell(row.ours, row.stock), ratio_cell(row.ours, row.limit)}) {
      cells.push_back(cell);
    }
    table.rows.push_back(std::move(cells));
  }
  body.table(table);
}

void add_means_table(const std::vector<SummaryRow>& rows, PageBody& body) {
  HtmlTable table;
  table.caption = "Geometric means of Longshore's ratios; to the limit, of workloads without holes";
  table.columns = {{"calls"},       {"MPI"},           {"ranks", true},    {"op"},
                   {"variant"},     {"rows", true},    {"to stock", true}, {"least", true},
                   {"least where"}, {"to limit", true}};
  for (const auto& group : group_means(rows)) {
    const auto cell = [](double value) {
      return value > 0 ? HtmlCell(figure(value), value) : HtmlCell("-");
    };
    table.rows.push_back({group.independent ? "independent" : "collective",
                          std::string(name(group.mpi)),
                          {std::to_string(group.ranks), static_cast<double>(group.ranks)},
                          group.op,
                          short_variant(group.variant),
                          {std::to_string(group.rows), static_cast<double>(group.rows)},
                          cell(group.to_stock),
                          cell(group.least),
                          group.least_where,
                          cell(group.to_limit)});
  }
  body.table(table);
}

// The bytes that a row's launches moved.
int64_t bytes_of(const BenchInput& input, const SummaryRow& row) {
  for (const auto& record : input.records) {
    if (record.workload == row.workload && record.ranks == row.ranks && record.bytes > 0) {
      return record.bytes;
    }
  }
  return 0;
}

}  // namespace

std::string case_label(const SummaryRow& row) {
  return row.label + ", " + counted(row.ranks, "rank") + ", " + short_dir(row.dir);
}

void add_bench_section(const BenchInput& input, PageBody& body) {
  const auto rows = summarize(input.records);
  body.section("Bench: " + input.source);
  if (!input.settings.empty()) {
    body.note("Settings: " + input.settings);
  }
  std::vector<std::string> versions;
  for (const auto& [mpi, version] : mpi_versions(input.records)) {
    versions.push_back(version);
  }
  if (!versions.empty()) {
    body.note("MPI: " + listed(versions));
  }
  if (variants_of(rows).size() <= kMostVariants) {
    add_bars(rows, body);
    add_lines_over_ranks(rows, body);
  }
  add_sweep_charts(rows, body);
  body.heading("Figures");
  add_table(rows, body);
  body.heading("Means");
  add_means_table(rows, body);
}

void add_bench_sizes(const std::vector<BenchInput>& inputs, PageBody& body) {
  std::map<std::tuple<std::string, int, std::string>, LinesChart> found;
  for (const auto& input : inputs) {
    const auto rows = summarize(input.records);
    if (variants_of(rows).size() > kMostVariants) {
      continue;
    }
    for (const auto& row : rows) {
      auto& chart = found[{row.label, row.ranks, short_dir(row.dir)}];
      chart.x_name = "bytes";
      chart.unit = kUnit;
      if (const auto bytes = bytes_of(input, row); bytes > 0) {
        add_points(chart, row, static_cast<double>(bytes));
      }
    }
  }
  std::vector<std::pair<std::string, Chart>> charts;
  for (auto& [key, chart] : found) {
    if (has_lines(chart)) {
      charts.emplace_back(
          std::get<0>(key) + ", " + counted(std::get<1>(key), "rank") + ", " + std::get<2>(key),
          std::move(chart));
    }
  }
  if (!charts.empty()) {
    body.section("Bench over sizes");
    body.chart_grid(std::move(charts),
                    "The same workload from several files. The size is that of all ranks together. "
                    "MPICH is dashed.");
  }
}

}  // namespace longshore::cli
