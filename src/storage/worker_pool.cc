#include "storage/worker_pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.h"

namespace longshore {

namespace {

// A task and its outcome. Whoever claims it, a worker or the waiter, runs it.
class Task {
 public:
  explicit Task(std::function<Outcome()> work) : work_(std::move(work)) {}

  void run_if_unclaimed() {
    if (claimed_.exchange(true)) {
      return;
    }
    Outcome outcome = work_();
    const int64_t now = SteadyClock::instance().now_ns();
    const std::lock_guard guard(mutex_);
    finished_ns_ = now;
    outcome_ = std::move(outcome);
    done_ = true;
    done_changed_.notify_all();
  }

  Outcome wait() {
    run_if_unclaimed();
    std::unique_lock lock(mutex_);
    done_changed_.wait(lock, [this] { return done_; });
    return std::move(outcome_);
  }

  [[nodiscard]] int64_t finished_ns() const { return finished_ns_; }
  [[nodiscard]] bool done() {
    const std::lock_guard guard(mutex_);
    return done_;
  }

 private:
  std::function<Outcome()> work_;
  std::atomic<bool> claimed_{false};
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  int64_t finished_ns_ = 0;
  Outcome outcome_;
};

class PendingTask : public PendingIo {
 public:
  explicit PendingTask(std::shared_ptr<Task> task) : task_(std::move(task)) {}
  ~PendingTask() override {
    if (task_ != nullptr) {
      (void)task_->wait();
    }
  }
  Outcome wait() override {
    const auto task = std::exchange(task_, nullptr);
    Outcome outcome = task->wait();
    finished_ns_ = task->finished_ns();
    return outcome;
  }
  bool ready() override { return task_->done(); }
  int64_t finished_ns() const override { return finished_ns_; }

 private:
  std::shared_ptr<Task> task_;
  int64_t finished_ns_ = 0;
};

// Signals are for the program's own threads: a new thread inherits the mask that stands now.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

struct WorkerPool::State {
  const pid_t owner = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Task>> queue;
  std::vector<std::thread> threads;
  int idle = 0;
  bool stopping = false;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      changed.wait(lock, [this] { return stopping || !queue.empty(); });
      --idle;
      if (queue.empty()) {
        return;
      }
      std::shared_ptr<Task> task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      task->run_if_unclaimed();
      task.reset();
      lock.lock();
    }
  }

  // Without a new thread the present ones or the waiter take the task: failure does no harm.
  void add_thread_if_busy() {
    if (static_cast<int>(queue.size()) <= idle || threads.size() >= kMaxThreads) {
      return;
    }
    const SignalsBlocked blocked;
    try {
      threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
};

std::shared_ptr<WorkerPool> WorkerPool::shared() {
  // Never destroyed: files may be closed by other objects' destructors at exit.
  static auto& mutex = *new std::mutex;
  static auto& current = *new std::weak_ptr<WorkerPool>;
  const std::lock_guard guard(mutex);
  std::shared_ptr<WorkerPool> pool = current.lock();
  if (pool == nullptr || pool->state_->owner != getpid()) {
    pool = std::make_shared<WorkerPool>();
    current = pool;
  }
  return pool;
}

WorkerPool::WorkerPool() : state_(new State) {}

WorkerPool::~WorkerPool() {
  if (state_->owner != getpid()) {
    return;  // The threads stayed in the parent and may have held the mutex: leave all as it is.
  }
  {
    const std::lock_guard guard(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
  delete state_;
}

std::unique_ptr<PendingIo> WorkerPool::run(std::function<Outcome()> work) {
  auto task = std::make_shared<Task>(std::move(work));
  if (state_->owner == getpid()) {
    const std::lock_guard guard(state_->mutex);
    state_->queue.push_back(task);
    state_->add_thread_if_busy();
    state_->changed.notify_one();
  }
  return std::make_unique<PendingTask>(std::move(task));
}

std::unique_ptr<PendingIo> WorkerShare::run(std::function<Outcome()> task) {
  std::shared_ptr<WorkerPool> pool;
  {
    const std::lock_guard guard(mutex_);
    if (pool_ == nullptr) {
      pool_ = WorkerPool::shared();
    }
    pool = pool_;
  }
  return pool->run(std::move(task));
}

void WorkerShare::release() {
  const std::lock_guard guard(mutex_);
  pool_.reset();
}

}  // namespace longshore
