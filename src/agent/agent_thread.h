// agent/agent_thread.h - the one thread of a process that serves other processes.
//
// A process that owns file pages must answer for them whatever its program does: compute, wait in a
// barrier, or work on another file. One thread polls for all open files. After work it polls
// eagerly for a moment, since more is likely to come, then sleeps an eighth of the time it has been
// idle, up to ten milliseconds: an answer comes late by at most that share of the silence before,
// and an idle thread costs less than a hundredth of a core.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/result.h"

namespace longshore {

class Service {
 public:
  virtual ~Service() = default;
  // Serves what is there and returns true if anything was; never waits for another process. Called
  // by one thread at a time; must not call add() or remove().
  virtual bool poll() = 0;
};

// Any thread may call any method, except that poll() may call none but nudge().
class AgentThread {
 public:
  // Never destroyed: a program may exit with services left, which are served until it is gone.
  static AgentThread& of_process();

  // From now on the service is polled. The first one starts the thread; fails if there is none to
  // be had.
  [[nodiscard]] Status add(Service& service);
  // Returns when the service is not being polled and never will be. The last one joins the thread.
  void remove(Service& service);
  // There is or will soon be something to do: the thread polls eagerly again.
  void nudge();

 private:
  using Clock = std::chrono::steady_clock;
  AgentThread() = default;
  [[nodiscard]] Status start();
  void run();
  bool poll_all(std::unique_lock<std::mutex>& held);
  void doze(std::unique_lock<std::mutex>& held, Clock::duration idle);
  [[nodiscard]] std::chrono::nanoseconds longest_sleep();
  [[nodiscard]] bool in_forked_child() const;

  std::mutex lifecycle_;  // add and remove, one at a time
  std::mutex mutex_;      // the following
  std::vector<Service*> services_;
  Service* polling_ = nullptr;
  bool stopping_ = false;
  std::condition_variable wake_;    // the thread
  std::condition_variable polled_;  // remove()
  std::chrono::nanoseconds used_before_doze_{0};

  std::atomic<bool> nudged_{false};
  std::atomic<bool> dozing_{false};  // for so long that a nudge is worth a system call
  std::atomic<pid_t> process_{0};    // 0: no thread
  std::thread thread_;
};

}  // namespace longshore
