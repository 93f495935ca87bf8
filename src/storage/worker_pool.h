// storage/worker_pool.h - threads that carry out transfers in the background.
//
// One pool serves all open files of the process: it lives while any of them holds it and its
// threads are joined when the last lets go, so nothing runs on after the last close.
#pragma once
#include <functional>
#include <memory>
#include <mutex>

#include "storage/storage.h"

namespace longshore {

class WorkerPool {
 public:
  static constexpr int kMaxThreads = 4;

  // The process's pool, made if there is none. Threads start with the first task.
  [[nodiscard]] static std::shared_ptr<WorkerPool> shared();

  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `task` once: on a worker, or in wait() if none has taken it by then. So a wait always
  // ends, without any thread (none could be created, or the process forked) as well.
  [[nodiscard]] std::unique_ptr<PendingIo> run(std::function<Outcome()> task);

 private:
  struct State;
  State* state_;
};

// One file's part in the process's pool, taken with its first task. Any thread may call.
class WorkerShare {
 public:
  // As WorkerPool::run().
  [[nodiscard]] std::unique_ptr<PendingIo> run(std::function<Outcome()> task);
  void release();

 private:
  std::mutex mutex_;
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace longshore
