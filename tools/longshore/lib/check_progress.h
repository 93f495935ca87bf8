// lib/check_progress.h - tells a person how far a check is.
#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace longshore::cli {

// On a terminal one line that is rewritten, with a bar by the time that has passed and the case
// that is being measured; else a plain line per launch. The time is known before: a launch takes
// its budget at most, but for the trial that is under way.
class CheckProgress {
 public:
  // `now` gives seconds.
  CheckProgress(std::ostream& out, bool terminal, std::function<double()> now)
      : out_(out), terminal_(terminal), now_(std::move(now)) {}

  void begin(size_t launches, double launch_seconds);
  void launch(const std::string& text);
  // What the program says on standard error: lines "progress DONE ALL CASE", in any pieces.
  void hear(std::string_view text);
  void trouble(const std::string& text);
  void end();

 private:
  void show(const std::string& what);

  std::ostream& out_;
  bool terminal_;
  std::function<double()> now_;
  size_t launches_ = 0;
  size_t begun_ = 0;
  double launch_seconds_ = 0;
  double start_ = 0;
  double launch_start_ = 0;
  std::string launch_;
  std::string line_;  // the beginning of a line that is not all there yet
};

}  // namespace longshore::cli
