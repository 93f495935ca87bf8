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
  bool running = false;  // a worker has it
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

void Strand::post(Task task) {
  const std::lock_guard lock(state_->mutex);
  state_->tasks.push_back(std::move(task));
  if (state_->running) {
    return;
  }
  state_->running = true;
  Workers::of_process().run([state = state_] {
    std::unique_lock held(state->mutex);
    while (!state->tasks.empty()) {
      auto next = std::move(state->tasks.front());
      state->tasks.pop_front();
      held.unlock();
      next();
      next = nullptr;
      held.lock();
    }
    state->running = false;
    state->idle.notify_all();
  });
}

void Strand::drain() {
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [&] { return !state_->running; });
}

}  // namespace longshore
