// core/clock.h - time, passed in so that tests can move it by hand.
#pragma once
#include <atomic>
#include <cstdint>

namespace longshore {

// All methods may be called by several threads at once.
class Clock {
 public:
  virtual ~Clock() = default;

  // Nanoseconds since some fixed moment; never goes back.
  [[nodiscard]] virtual int64_t now_ns() = 0;

  // Returns when at least `duration_ns` have passed on this clock; at once if it is not positive.
  virtual void sleep_ns(int64_t duration_ns) = 0;
};

// The machine's monotonic clock. now_ns() costs some tens of nanoseconds and no system call.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] int64_t now_ns() override;
  void sleep_ns(int64_t duration_ns) override;

  // One for the whole process; never destroyed, so usable while the process ends.
  [[nodiscard]] static SteadyClock& instance();
};

// Stands still until it is moved. A sleeper moves it by its own duration and does not block.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t start_ns = 0) : now_ns_(start_ns) {}
  [[nodiscard]] int64_t now_ns() override { return now_ns_.load(); }
  void sleep_ns(int64_t duration_ns) override { advance_ns(duration_ns); }

  // A negative step is ignored.
  void advance_ns(int64_t step_ns);

 private:
  std::atomic<int64_t> now_ns_;
};

}  // namespace longshore
