// core/trace.h - a timeline of what one process did for a file, on request.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace longshore {

// All methods may be called by several threads at once.
class Trace {
 public:
  // At most so many events are kept; the rest is counted.
  static constexpr size_t kMostEvents = 500'000;

  // `name` and `lane` must be literals. `lane` separates what overlaps within a process.
  void add(const char* name, const char* lane, int64_t begin_ns, int64_t end_ns, int64_t cycle);

  // The events in the trace-event format (an array's elements, separated and ended by commas, or
  // nothing), times in microseconds of the clock that made them, plus `shift_ns`; `rank` becomes
  // the process.
  [[nodiscard]] std::string render(int rank, int64_t shift_ns = 0) const;

 private:
  struct Event {
    const char* name;
    const char* lane;
    int64_t begin_ns;
    int64_t end_ns;
    int64_t cycle;
  };
  mutable std::mutex mutex_;
  std::vector<Event> events_;
  int64_t dropped_ = 0;
};

}  // namespace longshore
