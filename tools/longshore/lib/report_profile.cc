#include "lib/report_profile.h"

#include <algorithm>
#include <sstream>

#include "advise/profile.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kSpeed = "_mb_s";
constexpr const char* kMeasured = "measured";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool is_constant(const std::string& key) {
  const auto all = values_of(Profile{});
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == key; });
}

// "key = value  # remark"; the value stays 0, and the key is empty if there is none.
ProfileValue value_in(const std::string& line) {
  const size_t hash = std::min(line.find('#'), line.size());
  const size_t equals = line.find('=');
  ProfileValue value;
  if (equals < hash) {
    value.key = trimmed(line.substr(0, equals));
    value.remark = hash < line.size() ? trimmed(line.substr(hash + 1)) : "";
  }
  return value;
}

std::vector<ProfileValue> values_in(const std::string& text) {
  std::vector<ProfileValue> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto value = value_in(line); is_constant(value.key)) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

bool is_speed(const ProfileValue& value) { return value.key.ends_with(kSpeed); }

// "local_call_us" without its unit: "local call".
std::string name_of(const ProfileValue& value) {
  std::string name = value.key.substr(0, value.key.rfind(is_speed(value) ? kSpeed : "_us"));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string unit_of(bool speeds) { return speeds ? "MB/s" : "µs"; }

// The comment up to its comma: "built in, not measured" is "built in" in a chart.
std::string origin_of(const ProfileValue& value) {
  return value.remark.empty() ? "given" : value.remark.substr(0, value.remark.find(','));
}

// What was measured comes first, so that it has the same colour in all charts.
BarsChart bars_of(const ProfileInput& input, bool speeds) {
  BarsChart chart;
  chart.unit = unit_of(speeds);
  chart.series = {kMeasured};
  for (const auto& value : input.values) {
    if (is_speed(value) == speeds) {
      const std::string origin = origin_of(value);
      chart.series.push_back(origin);
      chart.groups.push_back({name_of(value), {{origin, value.value, kNoFigure, kNoFigure, ""}}});
    }
  }
  chart.series = distinct(std::move(chart.series));
  return chart;
}

}  // namespace

bool is_profile(const std::string& text) { return !values_in(text).empty(); }

Result<ProfileInput> read_profile(const std::string& text) {
  const auto profile = parse_profile(text);
  if (!profile) {
    return fail(profile.error());
  }
  ProfileInput input;
  input.values = values_in(text);
  for (const auto& [key, number] : values_of(*profile)) {
    for (auto& value : input.values) {
      value.value = value.key == key ? number : value.value;
    }
  }
  return input;
}

std::vector<Finding> profile_findings(const ProfileInput& input) {
  const auto measured = std::count_if(input.values.begin(), input.values.end(),
                                      [](const auto& one) { return one.remark == kMeasured; });
  const auto others = static_cast<int64_t>(input.values.size()) - measured;
  std::vector<Finding> findings = {
      {Finding::Kind::kLead,
       "Site profile (" + input.source + "): " + counted(measured, "measured constant") + "."}};
  if (others > 0) {
    findings.push_back(
        {Finding::Kind::kUnsure,
         counted(others, "constant") + (others == 1 ? " was" : " were") + " not measured."});
  }
  return findings;
}

void add_profile_section(const ProfileInput& input, PageBody& body) {
  body.section("Site profile: " + input.source);
  std::vector<std::pair<std::string, Chart>> charts;
  for (const bool speeds : {false, true}) {
    if (auto chart = bars_of(input, speeds); !chart.groups.empty()) {
      charts.emplace_back(speeds ? "Speeds" : "Times", std::move(chart));
    }
  }
  body.chart_grid(std::move(charts),
                  "The constants by which longshore explain predicts; the table has the figures.");
  HtmlTable table;
  table.caption = "Constants of the cost model";
  table.columns = {{"constant"}, {"value", true}, {"unit"}, {"origin"}};
  for (const auto& value : input.values) {
    table.rows.push_back({name_of(value),
                          {figure(value.value), value.value},
                          unit_of(is_speed(value)),
                          value.remark});
  }
  body.table(table);
}

}  // namespace longshore::cli
