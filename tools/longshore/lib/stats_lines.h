// lib/stats_lines.h - the lines that the library writes for LONGSHORE_STATS=PATH, read back.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace longshore::cli {

struct StatsChoice {
  std::string call;
  std::string how;
  std::string why;
  int64_t calls = 0;
};

enum class FileEnd {
  kClosed,
  kLeftOpen,  // the ranks told their parts when they ended
  kUnknown,   // opened, and nothing was heard of it again
};

struct FileStats {
  std::string file;
  FileEnd end = FileEnd::kClosed;
  int64_t ranks = 1;
  int64_t heard = 1;  // ranks whose counters are in; all of them unless left open
  int64_t hosts = 1;
  bool striped = false;
  int64_t stripe_bytes = 0;
  std::map<std::string, int64_t> counters;  // times in ns, summed over ranks
  std::map<std::string, std::string> hints;
  std::vector<StatsChoice> choices;

  // 0 for a counter that is not there.
  [[nodiscard]] int64_t get(const std::string& counter) const;
  [[nodiscard]] std::string hint(const std::string& name) const;
};

struct StatsRun {
  std::vector<FileStats> files;  // in the order of their ends; those without an end last
  int64_t bad_lines = 0;         // that are no such lines
  // The lines that say something that no other line says: of closed files, and of those that never
  // were. Ends with a newline unless empty.
  std::string kept_lines;
};

[[nodiscard]] StatsRun read_stats(const std::string& text);

// All files as one: counters added up, choices merged. Ranks and hosts are the most of any file.
[[nodiscard]] FileStats sum_of(const std::vector<FileStats>& files);

}  // namespace longshore::cli
