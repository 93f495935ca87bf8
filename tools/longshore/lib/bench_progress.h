// lib/bench_progress.h - tells a person how far a benchmark is.
#pragma once
#include <functional>
#include <ostream>
#include <string>

#include "lib/bench_types.h"

namespace longshore::cli {

// On a terminal one line that is rewritten, with a bar and the time that is left by the launches so
// far; else a plain line per case (workload, ranks, directory). Launches that go wrong get a line
// of their own in both.
class BenchProgress {
 public:
  // `now` gives seconds.
  BenchProgress(std::ostream& out, bool terminal, std::function<double()> now)
      : out_(out), terminal_(terminal), now_(std::move(now)) {}

  void begin(size_t launches);
  // The next launch, whether it is made or passed over.
  void step(const RunRecord& record);
  void done(const RunRecord& record);
  void end();

 private:
  void show(const RunRecord& record);

  std::ostream& out_;
  bool terminal_;
  std::function<double()> now_;
  size_t total_ = 0;
  size_t steps_ = 0;
  size_t made_ = 0;  // launches really made: the time left is told from these
  double start_ = 0;
  std::string last_case_;
};

// "45 s", "3 min 20 s", "1 h 05 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace longshore::cli
