#include "comm/signal.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "comm/patience.h"
#include "core/clock.h"

namespace longshore {

namespace {

// Long enough to cost nothing, short enough for a partner who needs this process to serve a message
// of the program's before it can come.
constexpr long kSleepNs = 1'000'000;
constexpr int kSpins = 64;
constexpr int64_t kYieldNs = 50'000;

long futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation, value, timeout, nullptr,
                 0);
}

}  // namespace

void Signal::raise() {
  raised_.fetch_add(1);
  if (sleepers_.load() != 0) {
    futex(raised_, FUTEX_WAKE, INT_MAX, nullptr);
  }
}

bool Signal::Eagerness::more() const {
  return polls_ < kSpins || (!in_background() && now_ns_ - began_ns_ < kYieldNs);
}

void Signal::Eagerness::pause() {
  if (++polls_ < kSpins) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    return;
  }
  now_ns_ = SteadyClock::instance().now_ns();
  began_ns_ = began_ns_ == 0 ? now_ns_ : began_ns_;
  sched_yield();
}

uint32_t Signal::announce() {
  sleepers_.fetch_add(1);
  return raised_.load();
}

void Signal::withdraw() { sleepers_.fetch_sub(1); }

bool Signal::sleep(uint32_t seen) {
  const timespec timeout{0, kSleepNs};
  return futex(raised_, FUTEX_WAIT, seen, &timeout) == 0 || errno != ETIMEDOUT;
}

}  // namespace longshore
