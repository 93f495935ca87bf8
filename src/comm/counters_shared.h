// comm/counters_shared.h - the two makes of SharedCounter.
//
// ShmCounter: all ranks on one host; an atomic word in shared memory. No rank has to do anything
// for another one, and a fetch_add costs what the cache line costs. ServedCounter: ranks on several
// hosts; rank 0 keeps the word and a thread of its process answers small messages, sleeping between
// polls, so that the program there may compute as long as it likes.
#pragma once
#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "comm/communicator.h"
#include "comm/shared_segment.h"

namespace longshore {

class ShmCounter final : public SharedCounter {
 public:
  // Collective. Null (on all ranks) if the host has no shared memory to give.
  [[nodiscard]] static Result<std::unique_ptr<ShmCounter>> make(Communicator& comm);
  [[nodiscard]] Result<int64_t> fetch_add(int64_t delta) override;
  [[nodiscard]] Status store(int64_t value) override;

 private:
  explicit ShmCounter(SharedSegment segment) : segment_(std::move(segment)) {}
  [[nodiscard]] std::atomic_ref<int64_t> word();
  SharedSegment segment_;
};

class ServedCounter final : public SharedCounter {
 public:
  // Collective over `parent`.
  [[nodiscard]] static Result<std::unique_ptr<ServedCounter>> make(MPI_Comm parent);
  // Frees its communicator, as the owner does its own: collective.
  ~ServedCounter() override;

  // The server runs between these. Without MPI_THREAD_MULTIPLE there is none, and ranks other than
  // 0 get kUnsupportedOperation.
  void start();
  void stop();

  [[nodiscard]] Result<int64_t> fetch_add(int64_t delta) override;
  [[nodiscard]] Status store(int64_t value) override;

 private:
  ServedCounter() = default;
  struct Message {
    int64_t set = 0;  // 1: store, 0: add
    int64_t value = 0;
  };
  [[nodiscard]] int64_t apply(const Message& message);
  [[nodiscard]] Result<int64_t> ask(const Message& message);
  [[nodiscard]] bool serve_one();
  void serve();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::atomic<int64_t> word_{0};
  std::mutex asking_;
  std::atomic<bool> stopping_{false};
  std::thread server_;
};

}  // namespace longshore
