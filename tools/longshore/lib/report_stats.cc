#include "lib/report_stats.h"

#include <algorithm>

#include "lib/bench_text.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

using Kind = Finding::Kind;

constexpr double kNsPerMs = 1e6;
constexpr const char* kWait = "wait_ns";
constexpr size_t kMostFindings = 6;
constexpr size_t kMostCharted = 24;

bool is_time(const std::string& key) { return key.ends_with("_ns"); }
bool is_bytes(const std::string& key) {
  return key.starts_with("bytes_") || key.ends_with("_bytes");
}

// Other times, such as that of whole calls, are no part of the work.
bool is_phase(const std::string& key) {
  return key == "plan_ns" || key == "exchange_ns" || key == kWait || key == "storage_ns";
}

// "storage_ns" is the phase "storage".
std::string phase_of(const std::string& key) { return key.substr(0, key.size() - 3); }

double number_of(const ReportedFile& stats, const std::string& key) {
  for (const auto& [name, value] : stats.numbers) {
    if (name == key) {
      return value;
    }
  }
  return 0;
}

std::string with_commas(double value) {
  const std::string digits = number(value, 0);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

Finding describe(const ReportedFile& stats) {
  std::string text = (stats.file.empty() ? "A file" : stats.file) + ": " +
                     bytes_text(number_of(stats, "bytes_written")) + " written and " +
                     bytes_text(number_of(stats, "bytes_read")) + " read in " +
                     with_commas(number_of(stats, "storage_calls")) + " storage calls";
  double sum = 0;
  std::pair<std::string, double> most{"", 0};
  for (const auto& [key, value] : stats.numbers) {
    if (is_phase(key) && key != kWait) {  // waiting is part of the others
      sum += value;
      most = value > most.second ? std::pair(key, value) : most;
    }
  }
  if (sum > 0) {
    text += "; of " + figure(sum / kNsPerMs) + " ms, summed over ranks, " +
            number(100 * most.second / sum, 0) + "% were " + phase_of(most.first);
  }
  if (const double rmw = number_of(stats, "rmw_bytes"); rmw > 0) {
    text += "; " + bytes_text(rmw) + " were read only to be written back";
  }
  return {Kind::kPlain, text + "."};
}

BarsChart phases_of(const StatsInput& input) {
  BarsChart chart;
  chart.unit = "ms";
  for (const auto& stats : input.files) {
    if (chart.groups.size() == kMostCharted) {
      break;
    }
    BarsChart::Group group;
    group.label = std::to_string(chart.groups.size() + 1) + ". " + stats.file;
    for (const auto& [key, value] : stats.numbers) {
      if (is_phase(key)) {
        chart.series.push_back(phase_of(key));
        group.bars.push_back({phase_of(key), value / kNsPerMs, kNoFigure, kNoFigure, ""});
      }
    }
    chart.groups.push_back(std::move(group));
  }
  chart.series = distinct(std::move(chart.series));
  return chart;
}

// Counters that have counted anything.
std::vector<std::string> keys_of(const StatsInput& input) {
  std::vector<std::string> keys;
  for (const auto& stats : input.files) {
    for (const auto& [key, value] : stats.numbers) {
      if (value != 0) {
        keys.push_back(key);
      }
    }
  }
  return distinct(std::move(keys));
}

HtmlCell cell_of(const ReportedFile& stats, const std::string& key) {
  const double value = number_of(stats, key);
  if (is_time(key)) {
    return {figure(value / kNsPerMs), value};
  }
  return {is_bytes(key) ? bytes_text(value) : with_commas(value), value};
}

void add_table(const StatsInput& input, PageBody& body) {
  HtmlTable table;
  table.caption = "Counters by file, in the order of their closes, summed over ranks and threads";
  table.columns = {{"no.", true}, {"file"}};
  const auto keys = keys_of(input);
  for (const auto& key : keys) {
    table.columns.push_back({is_time(key) ? phase_of(key) + ", ms" : key, true});
  }
  for (const auto& stats : input.files) {
    const auto place = static_cast<double>(table.rows.size() + 1);
    std::vector<HtmlCell> cells = {{number(place, 0), place}, stats.file};
    for (const auto& key : keys) {
      cells.push_back(cell_of(stats, key));
    }
    table.rows.push_back(std::move(cells));
  }
  body.table(table);
}

}  // namespace

std::vector<Finding> stats_findings(const StatsInput& input) {
  std::vector<Finding> findings = {
      {Kind::kLead,
       "Statistics (" + input.source +
           "): " + counted(static_cast<int64_t>(input.files.size()), "opened file") +
           (input.other_lines > 0 ? "; " + counted(input.other_lines, "other line") + " left out."
                                  : ".")}};
  for (const auto& stats : input.files) {
    if (findings.size() > kMostFindings) {
      findings.push_back({Kind::kPlain, "The other files are in the table."});
      break;
    }
    findings.push_back(describe(stats));
  }
  return findings;
}

void add_stats_section(const StatsInput& input, PageBody& body) {
  body.section("Statistics: " + input.source);
  auto chart = phases_of(input);
  const std::string cut = input.files.size() > kMostCharted
                              ? " The first " + std::to_string(kMostCharted) + " files only."
                              : "";
  if (!chart.series.empty()) {
    body.chart("Time by phase",
               "Sums over ranks and threads: phases that overlap add up to more than the clock "
               "shows. wait is a part of the others." +
                   cut,
               std::move(chart));
  }
  add_table(input, body);
  for (const auto& stats : input.files) {
    for (const auto& [key, text] : stats.texts) {
      body.note(stats.file + ", " + key + ": " + text);
    }
  }
}

}  // namespace longshore::cli
