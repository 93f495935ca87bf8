// lib/report_chart.h - charts as values. page/page.js draws them from the JSON.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "lib/report_types.h"

namespace longshore::cli {

// A figure that is not there; JSON's null.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// A group of bars for each case; low and high are the interval.
struct BarsChart {
  struct Bar {
    std::string series;
    double value = kNoFigure;
    double low = kNoFigure;
    double high = kNoFigure;
    std::string note;  // why there is no figure, or what to know of it
  };
  struct Group {
    std::string label;
    std::vector<Bar> bars;
  };
  std::string unit;
  std::vector<std::string> series;  // in their order
  std::vector<Group> groups;
};

// Lines over x, which is counted in `x_name` ("ranks") or, if that is "bytes", a size.
struct LinesChart {
  struct Point {
    double x = 0;
    double y = 0;
    double low = kNoFigure;
    double high = kNoFigure;
    std::string series;
    std::string colour;  // lines of the same name share their colour
    bool dashed = false;
    std::string panel;  // which stand side by side
  };
  std::string x_name;
  std::string unit;
  bool ratio = false;    // a ratio, to be seen around 1
  double tolerance = 0;  // of a ratio: 0 if there is none
  std::vector<Point> points;
};

// Cells shaded by their share of the best.
struct HeatChart {
  struct Cell {
    std::string x;
    std::string y;
    double value = kNoFigure;
    double low = kNoFigure;
    double high = kNoFigure;
    double share = 0;
    std::string note;
  };
  std::string x_name;
  std::string unit;
  std::vector<std::string> xs;
  std::vector<std::string> ys;
  std::vector<Cell> cells;
};

// A row for each rule, a dot with its interval for each result.
struct RatiosChart {
  struct Dot {
    std::string rule;
    double ratio = 1;
    double low = kNoFigure;
    double high = kNoFigure;
    std::string verdict;  // pass, fail or undecided
    std::string text;
  };
  double tolerance = 0;
  std::vector<std::string> rules;
  std::vector<Dot> dots;
};

// A row for each lane, over time.
struct TimelineChart {
  double span_us = 0;
  std::vector<std::string> lanes;
  std::vector<std::string> names;
  std::vector<TraceEvent> events;
};

using Chart = std::variant<BarsChart, LinesChart, HeatChart, RatiosChart, TimelineChart>;

// A JSON array that may stand in an HTML script element: there is no `<` in it.
[[nodiscard]] std::string charts_to_json(const std::vector<Chart>& charts);

}  // namespace longshore::cli
