#include "lib/report_check.h"

#include <map>
#include <set>

#include "lib/report_check_rules.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

// A cell for each rule and MPI-IO.
void add_overview(const CheckInput& input, PageBody& body) {
  const auto subjects = subjects_of(input.results);
  HtmlTable table;
  table.caption = "Verdicts by rule and MPI-IO";
  table.columns.push_back({"rule"});
  for (const auto& subject : subjects) {
    table.columns.push_back({subject});
  }
  std::map<std::pair<std::string, std::string>, VerdictCounts> counts;
  for (const auto& result : input.results) {
    counts[{rule_of(result), subject_of(result)}].add(verdict_of(result));
  }
  for (const auto& rule : rules_of(input.results)) {
    std::vector<HtmlCell> cells = {rule};
    for (const auto& subject : subjects) {
      const auto& found = counts[{rule, subject}];
      HtmlCell cell(found.text());
      cell.mark = found.worst();
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
  body.table(table);
}

void add_ratios(const CheckInput& input, PageBody& body) {
  std::vector<std::pair<std::string, Chart>> charts;
  for (const auto& subject : subjects_of(input.results)) {
    RatiosChart chart;
    chart.tolerance = input.tolerance;
    std::vector<CheckResult> own;
    for (const auto& result : input.results) {
      if (subject_of(result) == subject && result.ratio.value_or(0) > 0) {
        own.push_back(result);
        chart.dots.push_back({rule_of(result), *result.ratio, result.low.value_or(kNoFigure),
                              result.high.value_or(kNoFigure), verdict_of(result),
                              circumstances_of(result)});
      }
    }
    chart.rules = rules_of(own);
    if (!chart.dots.empty()) {
      charts.emplace_back("Ratios, " + subject, std::move(chart));
    }
  }
  if (!charts.empty()) {
    body.chart_grid(
        std::move(charts),
        "A dot for each size, number of ranks and folder, a line for its interval. The "
        "dashed line is as far as the tolerance goes: what lies right of it for certain "
        "breaks the rule.");
  }
}

// --- lines

struct LineKey {
  const char* x_name;
  double (*x)(const CheckResult&);
  const char* words;
};

double bytes_x(const CheckResult& result) { return static_cast<double>(result.bytes); }
double ranks_x(const CheckResult& result) { return static_cast<double>(result.ranks); }

// What a line stands for: everything but x.
std::string series_of(const CheckResult& result, bool over_bytes) {
  std::string text = subject_of(result);
  if (over_bytes) {
    text += result.ranks > 0 ? ", " + counted(result.ranks, "rank") : "";
  } else {
    text += result.bytes > 0 ? ", " + bytes_text(static_cast<double>(result.bytes)) : "";
  }
  return text + (result.dir.empty() ? "" : ", " + result.dir);
}

LinesChart lines_of(const CheckInput& input, const std::string& rule, const LineKey& key) {
  LinesChart chart{key.x_name, "times as long", true, input.tolerance, {}};
  std::set<double> xs;
  for (const auto& result : input.results) {
    if (rule_of(result) != rule || result.ratio.value_or(0) <= 0 || key.x(result) <= 0) {
      continue;
    }
    xs.insert(key.x(result));
    const auto series = series_of(result, key.x == bytes_x);
    chart.points.push_back({key.x(result), *result.ratio, result.low.value_or(kNoFigure),
                            result.high.value_or(kNoFigure), series, series, false,
                            result.operation});
  }
  if (xs.size() < 2) {
    chart.points.clear();
  }
  return chart;
}

void add_lines(const CheckInput& input, const LineKey& key, PageBody& body) {
  std::vector<std::pair<std::string, Chart>> charts;
  for (const auto& rule : rules_of(input.results)) {
    auto chart = lines_of(input, rule, key);
    if (!chart.points.empty()) {
      charts.emplace_back("Rule " + rule, std::move(chart));
    }
  }
  if (charts.empty()) {
    return;
  }
  body.begin_fold(std::string(key.words) + " (" +
                  counted(static_cast<int64_t>(charts.size()), "chart") + ")");
  body.chart_grid(std::move(charts),
                  "Ratio of times with its interval; the dashed line is the tolerance.");
  body.end_fold();
}

// --- the table

HtmlCell number_cell(const std::optional<double>& value, double scale = 1) {
  return value ? HtmlCell(figure(*value * scale), *value) : HtmlCell("-");
}

HtmlCell ratio_cell(const CheckResult& result) {
  if (!result.ratio) {
    return {"-"};
  }
  return {figure_with_range(*result.ratio, result.low.value_or(0), result.high.value_or(0)),
          *result.ratio};
}

// The pattern has a column of its own.
std::string rule_without_pattern(const CheckResult& result) {
  std::string rule = rule_of(result);
  const std::string pattern = ", " + result.variant;
  if (!result.variant.empty() && rule.ends_with(pattern)) {
    rule.resize(rule.size() - pattern.size());
  }
  return rule;
}

// What would help is of no use where nothing fails.
std::string remark_on(const CheckResult& result) {
  if (!result.wrong.empty()) {
    return result.wrong;
  }
  return verdict_of(result) == "fail" ? result.advice : "";
}

void add_table(const CheckInput& input, PageBody& body) {
  constexpr double kMilliseconds = 1e3;
  HtmlTable table;
  table.caption = "All results. The ratio is that of the two times, with its interval.";
  table.columns = {{"rule"},        {"MPI-IO"},      {"pattern"},     {"op"},      {"size", true},
                   {"ranks", true}, {"dir"},         {"ratio", true}, {"verdict"}, {"trials", true},
                   {"a, ms", true}, {"b, ms", true}, {"advice"}};
  for (const auto& result : input.results) {
    HtmlCell verdict(verdict_of(result));
    verdict.mark = verdict.text;
    const auto bytes = static_cast<double>(result.bytes);
    table.rows.push_back({rule_without_pattern(result),
                          subject_of(result),
                          result.variant,
                          result.operation,
                          {bytes_text(bytes), bytes},
                          {std::to_string(result.ranks), static_cast<double>(result.ranks)},
                          result.dir,
                          ratio_cell(result),
                          std::move(verdict),
                          {std::to_string(result.trials), static_cast<double>(result.trials)},
                          number_cell(result.a_seconds, kMilliseconds),
                          number_cell(result.b_seconds, kMilliseconds),
                          remark_on(result)});
  }
  body.table(table);
}

}  // namespace

void add_check_section(const CheckInput& input, PageBody& body) {
  body.section("Check: " + input.source);
  add_overview(input, body);
  add_ratios(input, body);
  add_lines(input, {"bytes", bytes_x, "Over sizes"}, body);
  add_lines(input, {"ranks", ranks_x, "Over ranks"}, body);
  body.heading("Results");
  add_table(input, body);
}

}  // namespace longshore::cli
