// comm/signal.h - a word in shared memory on which processes sleep until another one changes it.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>

namespace longshore {

// Lives in zeroed shared memory; all zero is its first state. Nobody owns it: a process that dies
// leaves nothing locked.
class Signal {
 public:
  // Wakes all who sleep. Call after the change they wait for.
  void raise();

  // Returns when `holds` is true; evaluates it again after each raise(). Sleeps in between, and
  // calls `meanwhile` now and then, so that a long wait can serve others.
  template <typename Condition, typename Meanwhile>
  void wait(const Condition& holds, const Meanwhile& meanwhile) {
    for (Eagerness eager; eager.more(); eager.pause()) {
      if (holds()) {
        return;
      }
    }
    for (;;) {
      const uint32_t seen = announce();
      const bool there = holds();
      const bool woken = there || sleep(seen);
      withdraw();
      if (there) {
        return;
      }
      if (!woken) {
        meanwhile();
      }
    }
  }

 private:
  // Most waits are over before a sleeper would be awake again: at first look again and again,
  // offering the core to others. Threads behind the program's back do that for a moment only.
  class Eagerness {
   public:
    [[nodiscard]] bool more() const;
    void pause();

   private:
    int polls_ = 0;
    int64_t began_ns_ = 0;
    int64_t now_ns_ = 0;
  };
  uint32_t announce();
  void withdraw();
  // False if nothing was raised for a while.
  bool sleep(uint32_t seen);

  std::atomic<uint32_t> raised_{0};
  std::atomic<uint32_t> sleepers_{0};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace longshore
