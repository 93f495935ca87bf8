#include "lib/bench_text.h"

#include <cstdio>

#include "lib/bench_results.h"

namespace longshore::cli {
namespace {

constexpr size_t kDirWidth = 12;

}  // namespace

std::string padded(const std::string& text, size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string right(const std::string& text, size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string number(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string speed(const SpeedCell& cell) {
  if (cell.runs > 0) {
    return number(cell.median, 0);
  }
  return cell.wanted ? std::string(name(cell.why_not)) : "-";
}

std::string short_dir(const std::string& dir) {
  return dir.size() <= kDirWidth ? dir : "..." + dir.substr(dir.size() - kDirWidth + 3);
}

}  // namespace longshore::cli
