// core/observer.h - what is known of a file's work: counters always, times and a timeline on
// request.
#pragma once
#include <cstdint>
#include <memory>

#include "core/clock.h"
#include "core/counters.h"
#include "core/decisions.h"
#include "core/trace.h"

namespace longshore {

struct Observer {
  Counters counters;
  Decisions decisions;
  std::unique_ptr<Trace> trace;  // null: not asked for
  bool times = false;            // someone will read what things took
  Clock& clock = SteadyClock::instance();

  void count(Counter counter, int64_t amount) { counters.add(counter, amount); }
};

// From its construction to its destruction a phase runs: its time is counted, and traced if asked
// for. Costs nothing unless somebody wants to know.
class Phase {
 public:
  Phase(Observer& observer, Counter counter, const char* name, const char* lane, int64_t cycle = -1)
      : observer_(observer),
        counter_(counter),
        name_(name),
        lane_(lane),
        cycle_(cycle),
        begin_ns_(observer.times ? observer.clock.now_ns() : 0) {}
  ~Phase() {
    if (!observer_.times) {
      return;
    }
    const int64_t end_ns = observer_.clock.now_ns();
    observer_.count(counter_, end_ns - begin_ns_);
    if (observer_.trace) {
      observer_.trace->add(name_, lane_, begin_ns_, end_ns, cycle_);
    }
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Observer& observer_;
  Counter counter_;
  const char* name_;
  const char* lane_;
  int64_t cycle_;
  int64_t begin_ns_;
};

// A call of the program.
class CallTimer : public Phase {
 public:
  CallTimer(Observer& observer, const char* name)
      : Phase(observer, Counter::kCallNs, name, "calls") {}
};

}  // namespace longshore
