#include "core/clock.h"

#include <chrono>
#include <thread>

namespace longshore {

int64_t SteadyClock::now_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

void SteadyClock::sleep_ns(int64_t duration_ns) {
  if (duration_ns > 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns));
  }
}

SteadyClock& SteadyClock::instance() {
  static auto& clock = *new SteadyClock;
  return clock;
}

void ManualClock::advance_ns(int64_t step_ns) {
  if (step_ns > 0) {
    now_ns_.fetch_add(step_ns);
  }
}

}  // namespace longshore
