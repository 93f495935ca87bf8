// lib/report_text.h - figures and lists as people write them.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace longshore::cli {

// Three or so digits: 1234, 56.7, 1.85, 0.004.
[[nodiscard]] std::string figure(double value);
// "1.85 (1.70 to 2.01)"; without the interval if low and high are not in order.
[[nodiscard]] std::string figure_with_range(double value, double low, double high);
// "4 KiB".
[[nodiscard]] std::string bytes_text(double bytes);
// "1 rank", "3 ranks".
[[nodiscard]] std::string counted(int64_t count, const std::string& noun);
// "a", "a and b", "a, b and c"; of more than `most` the first ones, "and 5 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& items, size_t most = 8);
// Each value once, in the order of its first.
[[nodiscard]] std::vector<std::string> distinct(std::vector<std::string> items);

// "cores 2; file systems shm tmpfs": names and what they are, underscores of names as blanks.
[[nodiscard]] std::string facts_text(const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace longshore::cli
