// What the agent thread costs: processor time of that thread alone, whatever else the test program
// has running.
#pragma once
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "agent/agent_thread.h"

namespace longshore {

// An idle service that knows how much the thread that polls it has used.
class ThreadClock final : public Service {
 public:
  bool poll() override {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    used_ns = used.tv_sec * int64_t{1'000'000'000} + used.tv_nsec;
    ++polls;
    return false;
  }
  std::atomic<int64_t> polls{0};
  std::atomic<int64_t> used_ns{0};
};

// The share of a core that the agent thread uses in the next second. REQUIRES: `clock` was added.
inline double share_of_a_core(const ThreadClock& clock) {
  const auto begin = std::chrono::steady_clock::now();
  const int64_t before_ns = clock.used_ns;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return 1e-9 * static_cast<double>(clock.used_ns - before_ns) / elapsed.count();
}

}  // namespace longshore
