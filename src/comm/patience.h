// comm/patience.h - how a thread waits for others without burning the core they need.
#pragma once
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace longshore {

// True while a BackgroundPatience of this thread lives and no thread of the process has an Urgency.
[[nodiscard]] bool in_background();

// Called between two polls. The first polls follow each other at once (a partner on another core
// answers within a microsecond), then the core is offered to others, and who has waited long sleeps
// between polls: a scheduler that is fair gives one who only yields as much of the core as the
// process or the daemon that it waits for. After each sleep it polls a few times: a large message
// comes in fragments, each of which needs a poll. A background thread sleeps at once, and longer.
class Patience {
 public:
  void pause() {
    if (polls_++ < kEagerPolls) {
      return;
    }
    const bool background = in_background();
    if (yields_++ < yields_before_sleep(background)) {
      sched_yield();
      return;
    }
    yields_ = 0;
    slept_ = true;
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(sleep_ * 2, background ? kLongestSleep : kShortSleep);
  }

 private:
  [[nodiscard]] int yields_before_sleep(bool background) const {
    if (background) {
      return slept_ ? kFewYields : 0;
    }
    return slept_ ? kYieldsBetweenSleeps : kYieldsAtFirst;
  }

  static constexpr int kEagerPolls = 16;
  static constexpr int kYieldsAtFirst = 200;
  static constexpr int kYieldsBetweenSleeps = 32;
  static constexpr int kFewYields = 4;
  static constexpr std::chrono::microseconds kLongestSleep{200};
  static constexpr std::chrono::microseconds kShortSleep{50};
  int polls_ = 0;
  int yields_ = 0;  // since the last sleep
  bool slept_ = false;
  std::chrono::microseconds sleep_{5};
};

}  // namespace longshore
