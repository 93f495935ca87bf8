#include "lib/check_progress.h"

#include <algorithm>
#include <sstream>

#include "lib/bench_progress.h"

namespace longshore::cli {
namespace {

constexpr size_t kBarWidth = 24;
constexpr const char* kEraseLine = "\r\033[K";

std::string bar(double share) {
  const auto filled = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * kBarWidth);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

}  // namespace

void CheckProgress::begin(size_t launches, double launch_seconds) {
  launches_ = launches;
  launch_seconds_ = launch_seconds;
  start_ = now_();
  out_ << "check: " << launches << (launches == 1 ? " launch" : " launches") << " of at most "
       << duration_text(launch_seconds) << std::endl;
}

void CheckProgress::launch(const std::string& text) {
  ++begun_;
  launch_ = text;
  line_.clear();
  launch_start_ = now_();
  if (terminal_) {
    show("");
  } else {
    out_ << "check: " << begun_ << "/" << launches_ << "  " << text << std::endl;
  }
}

void CheckProgress::show(const std::string& what) {
  const double passed = std::min(now_() - launch_start_, launch_seconds_);
  const double share =
      (static_cast<double>(begun_ - 1) + passed / std::max(launch_seconds_, 1e-9)) /
      static_cast<double>(std::max<size_t>(1, launches_));
  out_ << kEraseLine << bar(share) << ' ' << begun_ << '/' << launches_ << "  " << launch_
       << (what.empty() ? "" : ": ") << what << std::flush;
}

void CheckProgress::hear(std::string_view text) {
  if (!terminal_) {
    return;
  }
  line_ += text;
  for (auto end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
    std::istringstream words(line_.substr(0, end));
    line_.erase(0, end + 1);
    std::string mark;
    std::string done;
    std::string all;
    std::string what;
    if (words >> mark >> done >> all && mark == "progress" &&
        std::getline(words >> std::ws, what)) {
      show(what);
    }
  }
}

void CheckProgress::trouble(const std::string& text) {
  out_ << (terminal_ ? kEraseLine : "") << "check: " << text << std::endl;
}

void CheckProgress::end() {
  out_ << (terminal_ ? kEraseLine : "") << "check: " << begun_
       << (begun_ == 1 ? " launch in " : " launches in ") << duration_text(now_() - start_)
       << std::endl;
}

}  // namespace longshore::cli
