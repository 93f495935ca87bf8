// lib/bench_text.h - figures in columns.
#pragma once
#include <string>

#include "lib/bench_summary.h"

namespace longshore::cli {

// With blanks after it, or before it, up to `width`.
[[nodiscard]] std::string padded(const std::string& text, size_t width);
[[nodiscard]] std::string right(const std::string& text, size_t width);

[[nodiscard]] std::string number(double value, int decimals);

// The median in MB/s, why there is none, or "-" if it was not wanted.
[[nodiscard]] std::string speed(const SpeedCell& cell);

// The end of a long path, which says more than its beginning.
[[nodiscard]] std::string short_dir(const std::string& dir);

}  // namespace longshore::cli
