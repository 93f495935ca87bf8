// comm/patience.h - how a thread waits for others without burning the core they need.
#pragma once
#include <sched.h>

#include <chrono>
#include <thread>

namespace longshore {

// True while a BackgroundPatience of this thread lives and no thread of the process has an Urgency.
[[nodiscard]] bool in_background();

// Called between two polls. The first polls follow each other at once (a partner on another core
// answers within a microsecond), then the core is offered to others; a background thread sleeps,
// ever longer up to a bound, so that the program keeps its core.
class Patience {
 public:
  void pause() {
    ++polls_;
    if (in_background() && polls_ > kEagerPolls) {
      std::this_thread::sleep_for(sleep_);
      sleep_ = sleep_ * 2 < kLongestSleep ? sleep_ * 2 : kLongestSleep;
    } else if (polls_ > kEagerPolls) {
      sched_yield();
    }
  }

 private:
  static constexpr int kEagerPolls = 16;
  static constexpr std::chrono::microseconds kLongestSleep{200};
  int polls_ = 0;
  std::chrono::microseconds sleep_{5};
};

}  // namespace longshore
