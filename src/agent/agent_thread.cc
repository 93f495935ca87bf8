#include "agent/agent_thread.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>

namespace longshore {

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr microseconds kEager{50};
constexpr int kIdleToSleep = 8;
constexpr microseconds kShortestSleep{10};
constexpr microseconds kWorthWaking{100};
// The longest sleep is this many times the processor time of a round, within these bounds.
constexpr int kSleepToWork = 400;
constexpr microseconds kLongestSleepAtLeast{2000};
constexpr microseconds kLongestSleepAtMost{10000};
constexpr microseconds kMorePerService{400};

// Processor time of the calling thread.
nanoseconds used_by_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + nanoseconds(used.tv_nsec);
}

}  // namespace

AgentThread& AgentThread::of_process() {
  static auto* agent = new AgentThread();
  return *agent;
}

bool AgentThread::in_forked_child() const {
  const pid_t process = process_;
  return process != 0 && process != getpid();
}

Status AgentThread::add(Service& service) {
  if (in_forked_child()) {
    return fail(ErrorClass::kUnsupportedOperation, "a forked child cannot serve other ranks");
  }
  const std::lock_guard one_at_a_time(lifecycle_);
  if (!thread_.joinable()) {
    if (auto status = start(); !status) {
      return status;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    services_.push_back(&service);
  }
  nudge();
  return {};
}

Status AgentThread::start() {
  stopping_ = false;
  process_ = getpid();
  // The program's signal handlers never run in the thread, not even at its begin.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "longshore-agent");
  } catch (const std::system_error& error) {
    status = fail_errno(error.code().value(), "agent thread");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

void AgentThread::remove(Service& service) {
  if (in_forked_child()) {
    return;
  }
  const std::lock_guard one_at_a_time(lifecycle_);
  std::unique_lock held(mutex_);
  std::erase(services_, &service);
  polled_.wait(held, [&] { return polling_ != &service; });
  if (!services_.empty() || !thread_.joinable()) {
    return;
  }
  stopping_ = true;
  wake_.notify_all();
  held.unlock();
  thread_.join();
  process_ = 0;
}

void AgentThread::nudge() {
  nudged_ = true;
  if (dozing_ && !in_forked_child()) {
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
}

void AgentThread::run() {
  auto last_work = Clock::now();
  std::unique_lock held(mutex_);
  while (!stopping_) {
    const bool worked = poll_all(held);
    const auto now = Clock::now();
    if (nudged_.exchange(false) || worked) {
      last_work = now;
    }
    if (now - last_work < kEager) {
      held.unlock();
      sched_yield();
      held.lock();
    } else {
      doze(held, now - last_work);
    }
  }
}

bool AgentThread::poll_all(std::unique_lock<std::mutex>& held) {
  bool worked = false;
  // One that is removed meanwhile may let the next one miss its turn; it has another one soon.
  for (size_t i = 0; i < services_.size(); ++i) {
    polling_ = services_[i];
    held.unlock();
    worked = polling_->poll() || worked;
    held.lock();
    polling_ = nullptr;
    polled_.notify_all();
  }
  return worked;
}

void AgentThread::doze(std::unique_lock<std::mutex>& held, Clock::duration idle) {
  const auto sleep = std::clamp<nanoseconds>(idle / kIdleToSleep, kShortestSleep, longest_sleep());
  dozing_ = sleep > kWorthWaking;
  wake_.wait_for(held, sleep, [&] { return stopping_ || nudged_; });
  dozing_ = false;
}

nanoseconds AgentThread::longest_sleep() {
  const auto used = used_by_thread();
  const auto round = used - used_before_doze_;
  used_before_doze_ = used;
  const auto more = kMorePerService * (static_cast<int64_t>(services_.size()) - 1);
  return std::clamp<nanoseconds>(round * kSleepToWork, kLongestSleepAtLeast,
                                 kLongestSleepAtMost + std::max(more, microseconds(0)));
}

}  // namespace longshore
