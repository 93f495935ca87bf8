#include "agent/strand.h"

#include <chrono>
#include <condition_variable>
#include <thread>
#include <utility>

#include "comm/communicator.h"

namespace longshore {

struct Strand::State {
  std::mutex mutex;
  std::condition_variable idle;
  std::deque<Task> tasks;
  bool running = false;  // some thread is at it

  // Runs the first task. REQUIRES: not running, some task; `held` locks the mutex.
  void run_first(std::unique_lock<std::mutex>& held) {
    running = true;
    auto task = std::move(tasks.front());
    tasks.pop_front();
    held.unlock();
    task();
    task = nullptr;
    held.lock();
    running = false;
    idle.notify_all();
  }
};

namespace {

// The process's workers. One more is made whenever a strand is ready and none is free.
class Workers {
 public:
  void run(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (free_ >= jobs_.size()) {
      wake_.notify_one();
    } else {
      std::thread([this] { work(); }).detach();
    }
  }

  // Never destroyed: idle workers may outlive main().
  static Workers& of_process() {
    static auto* workers = new Workers();
    return *workers;
  }

 private:
  void work() {
    constexpr std::chrono::seconds kIdleLife{2};
    const BackgroundPatience patience;
    std::unique_lock lock(mutex_);
    while (true) {
      if (jobs_.empty()) {
        ++free_;
        const bool called = wake_.wait_for(lock, kIdleLife, [&] { return !jobs_.empty(); });
        --free_;
        if (!called) {
          return;
        }
      }
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  size_t free_ = 0;
};

}  // namespace

Strand::Strand() : state_(std::make_shared<State>()) {}
Strand::~Strand() = default;

void Strand::run_all(State& state) {
  std::unique_lock held(state.mutex);
  while (!state.running && !state.tasks.empty()) {
    state.run_first(held);
  }
}

void Strand::post(Task task) {
  const std::lock_guard lock(state_->mutex);
  state_->tasks.push_back(std::move(task));
  if (!state_->running) {
    Workers::of_process().run([state = state_] { run_all(*state); });
  }
}

void Strand::drain() {
  std::unique_lock held(state_->mutex);
  while (state_->running || !state_->tasks.empty()) {
    if (state_->running) {
      state_->idle.wait(held);
    } else {
      state_->run_first(held);
    }
  }
}

void Strand::help(const std::function<bool()>& enough) {
  std::unique_lock held(state_->mutex);
  while (!state_->running && !state_->tasks.empty() && !enough()) {
    state_->run_first(held);
  }
  if (!state_->running && !state_->tasks.empty()) {
    Workers::of_process().run([state = state_] { run_all(*state); });
  }
}

}  // namespace longshore
