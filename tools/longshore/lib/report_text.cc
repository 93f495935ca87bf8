#include "lib/report_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/bench_text.h"

namespace longshore::cli {

std::string figure(double value) {
  const double size = std::abs(value);
  if (size == 0) {
    return "0";
  }
  return number(value, size >= 99.5 ? 0 : size >= 9.95 ? 1 : size >= 0.0995 ? 2 : 4);
}

std::string figure_with_range(double value, double low, double high) {
  return figure(value) + (low < high ? " (" + figure(low) + " to " + figure(high) + ")" : "");
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = bytes == std::floor(bytes) && bytes < 1e6;
  return (whole ? number(bytes, 0) : figure(bytes)) + " " + kUnits[unit];
}

std::string counted(int64_t count, const std::string& noun) {
  const bool hissing = noun.ends_with("ch");
  return std::to_string(count) + " " + noun + (count == 1 ? "" : hissing ? "es" : "s");
}

std::string listed(const std::vector<std::string>& items, size_t most) {
  const bool cut = items.size() > most;
  const size_t shown = cut ? most : items.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const bool last = !cut && i + 1 == shown;
    text += (i == 0 ? "" : last ? " and " : ", ") + items[i];
  }
  return cut ? text + " and " + std::to_string(items.size() - most) + " more" : text;
}

std::vector<std::string> distinct(std::vector<std::string> items) {
  std::vector<std::string> kept;
  for (auto& item : items) {
    if (std::find(kept.begin(), kept.end(), item) == kept.end()) {
      kept.push_back(std::move(item));
    }
  }
  return kept;
}

std::string facts_text(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string text;
  for (const auto& [key, value] : facts) {
    std::string words = key;
    std::replace(words.begin(), words.end(), '_', ' ');
    text += (text.empty() ? "" : "; ") + words + " " + value;
  }
  return text;
}

}  // namespace longshore::cli
