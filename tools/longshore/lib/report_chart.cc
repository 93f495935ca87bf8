#include "lib/report_chart.h"

#include <cmath>

#include "lib/json_fields.h"

namespace longshore::cli {
namespace {

// A thousandth of a microsecond, or six digits, is enough; the rest is only length.
double rounded(double value) { return std::round(value * 1e3) / 1e3; }

Json figure_json(double value) {
  if (!std::isfinite(value)) {
    return nullptr;
  }
  const double size = std::abs(value);
  const double unit = size == 0 ? 1 : std::pow(10.0, std::floor(std::log10(size)) - 5);
  const double kept = std::round(value / unit) * unit;
  return std::isfinite(kept) ? Json(kept) : Json(value);
}

Json to_json(const BarsChart& chart) {
  Json groups = Json::array();
  for (const auto& group : chart.groups) {
    Json bars = Json::array();
    for (const auto& bar : group.bars) {
      bars.push_back({{"series", bar.series},
                      {"value", figure_json(bar.value)},
                      {"low", figure_json(bar.low)},
                      {"high", figure_json(bar.high)},
                      {"note", bar.note}});
    }
    groups.push_back({{"label", group.label}, {"bars", std::move(bars)}});
  }
  return {{"type", "bars"},
          {"unit", chart.unit},
          {"series", chart.series},
          {"groups", std::move(groups)}};
}

Json to_json(const LinesChart& chart) {
  Json points = Json::array();
  for (const auto& point : chart.points) {
    points.push_back({{"x", point.x},
                      {"y", figure_json(point.y)},
                      {"low", figure_json(point.low)},
                      {"high", figure_json(point.high)},
                      {"series", point.series},
                      {"colour", point.colour},
                      {"dashed", point.dashed},
                      {"panel", point.panel}});
  }
  return {{"type", "lines"},
          {"x", chart.x_name},
          {"unit", chart.unit},
          {"ratio", chart.ratio},
          {"tolerance", chart.tolerance},
          {"points", std::move(points)}};
}

Json to_json(const HeatChart& chart) {
  Json cells = Json::array();
  for (const auto& cell : chart.cells) {
    cells.push_back({{"x", cell.x},
                     {"y", cell.y},
                     {"value", figure_json(cell.value)},
                     {"low", figure_json(cell.low)},
                     {"high", figure_json(cell.high)},
                     {"share", figure_json(cell.share)},
                     {"note", cell.note}});
  }
  return {{"type", "heat"}, {"x", chart.x_name}, {"unit", chart.unit},
          {"xs", chart.xs}, {"ys", chart.ys},    {"cells", std::move(cells)}};
}

Json to_json(const RatiosChart& chart) {
  Json dots = Json::array();
  for (const auto& dot : chart.dots) {
    dots.push_back({{"rule", dot.rule},
                    {"ratio", figure_json(dot.ratio)},
                    {"low", figure_json(dot.low)},
                    {"high", figure_json(dot.high)},
                    {"verdict", dot.verdict},
                    {"text", dot.text}});
  }
  return {{"type", "ratios"},
          {"tolerance", chart.tolerance},
          {"rules", chart.rules},
          {"dots", std::move(dots)}};
}

Json to_json(const TimelineChart& chart) {
  Json events = Json::array();
  for (const auto& event : chart.events) {
    events.push_back(Json::array({event.lane, event.name, rounded(event.begin_us),
                                  rounded(event.duration_us), event.count}));
  }
  return {{"type", "timeline"},
          {"span_us", chart.span_us},
          {"lanes", chart.lanes},
          {"names", chart.names},
          {"events", std::move(events)}};
}

}  // namespace

std::string charts_to_json(const std::vector<Chart>& charts) {
  Json json = Json::array();
  for (const auto& chart : charts) {
    json.push_back(std::visit([](const auto& one) { return to_json(one); }, chart));
  }
  std::string safe;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace longshore::cli
