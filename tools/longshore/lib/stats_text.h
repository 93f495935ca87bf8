// lib/stats_text.h - numbers and the one-screen summary of a run's files.
#pragma once
#include <cstdint>
#include <string>

#include "lib/stats_lines.h"

namespace longshore::cli {

// "128.0 MB", "512 bytes": units of 1000.
[[nodiscard]] std::string bytes_text(int64_t bytes);
// "1.53 s", "20.1 ms".
[[nodiscard]] std::string time_text(int64_t duration_ns);
// The end of a long path.
[[nodiscard]] std::string short_path(const std::string& path);

// At most a screen (24 lines of about 100 columns, a few more if much was decided): files, bytes,
// calls, bandwidth, time by phase, choices and why, hints that may help. Many files are summed up.
[[nodiscard]] std::string summary_of(const StatsRun& run);

}  // namespace longshore::cli
