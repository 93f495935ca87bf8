// lib/watch.h - `longshore run --stats --trace`: what the library is asked to leave, and what is
// made of it after the program has ended.
//
// Rank 0 of each file writes, on its host; so the files must be where both that host and this
// command see them. Without a name they are hidden files in the current folder (on a cluster mostly
// the shared one), or in the folder for temporary files where that one cannot be written, and go at
// the end.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace longshore::cli {

struct WatchRequest {
  bool stats = false;
  std::string stats_file;  // keeps the lines of JSON; empty: they go
  std::string trace_file;  // empty: no timeline

  [[nodiscard]] bool any() const { return stats || !trace_file.empty(); }
};

class Watch {
 public:
  // Fails with kAccess if a file cannot be written. What is in the named files is lost.
  [[nodiscard]] static Result<Watch> begin(const WatchRequest& request);

  // For the ranks.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;

  // After the program's end: prints the summary to `out`, writes the timeline, tidies up. Fails if
  // a file cannot be written.
  [[nodiscard]] Status end(std::ostream& out) const;
  // There was no program: removes what begin() made, but for the named files.
  void discard() const;

 private:
  [[nodiscard]] Status end_stats(std::ostream& out) const;
  [[nodiscard]] Status end_trace(std::ostream& out) const;

  WatchRequest request_;
  std::filesystem::path lines_;   // of statistics
  std::filesystem::path events_;  // of the timeline
};

}  // namespace longshore::cli
