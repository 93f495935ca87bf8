#include "comm/counters_shared.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "comm/mpi_communicator.h"

namespace longshore {

namespace {
constexpr size_t kSegmentBytes = 64;
constexpr int kAskTag = 1;
constexpr int kAnswerTag = 2;
}  // namespace

Result<std::unique_ptr<ShmCounter>> ShmCounter::make(Communicator& comm) {
  auto segment = share_segment(comm, kSegmentBytes);
  if (!segment) {
    return fail(segment.error());
  }
  if (segment->memory().empty()) {
    return nullptr;
  }
  return std::unique_ptr<ShmCounter>(new ShmCounter(std::move(*segment)));
}

std::atomic_ref<int64_t> ShmCounter::word() {
  return std::atomic_ref<int64_t>(*reinterpret_cast<int64_t*>(segment_.memory().data()));
}

Result<int64_t> ShmCounter::fetch_add(int64_t delta) { return word().fetch_add(delta); }

Status ShmCounter::store(int64_t value) {
  word().store(value);
  return {};
}

Result<std::unique_ptr<ServedCounter>> ServedCounter::make(MPI_Comm parent) {
  std::unique_ptr<ServedCounter> made(new ServedCounter());
  if (auto status = duplicate_politely(parent, &made->comm_); !status) {
    return fail(status.error());
  }
  PMPI_Comm_rank(made->comm_, &made->rank_);
  return made;
}

ServedCounter::~ServedCounter() {
  stop();
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

void ServedCounter::start() {
  if (rank_ == 0 && threads_may_call_mpi() && !server_.joinable()) {
    stopping_ = false;
    server_ = std::thread([this] { serve(); });
  }
}

void ServedCounter::stop() {
  if (server_.joinable()) {
    stopping_ = true;
    server_.join();
  }
}

int64_t ServedCounter::apply(const Message& message) {
  return message.set != 0 ? word_.exchange(message.value) : word_.fetch_add(message.value);
}

Result<int64_t> ServedCounter::ask(const Message& message) {
  if (rank_ == 0) {
    return apply(message);
  }
  if (!threads_may_call_mpi()) {
    return fail(ErrorClass::kUnsupportedOperation,
                "shared file pointers over several hosts need MPI_THREAD_MULTIPLE");
  }
  const std::lock_guard one_at_a_time(asking_);
  int64_t answer = 0;
  std::array<MPI_Request, 2> both{};
  PMPI_Irecv(&answer, 1, MPI_INT64_T, 0, kAnswerTag, comm_, &both[0]);
  PMPI_Isend(&message, sizeof(message), MPI_BYTE, 0, kAskTag, comm_, &both[1]);
  for (auto& request : both) {
    if (auto status = wait_politely(request); !status) {
      return fail(status.error());
    }
  }
  return answer;
}

bool ServedCounter::serve_one() {
  int there = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, kAskTag, comm_, &there, &status);
  if (there == 0) {
    return false;
  }
  Message message;
  PMPI_Recv(&message, sizeof(message), MPI_BYTE, status.MPI_SOURCE, kAskTag, comm_,
            MPI_STATUS_IGNORE);
  const int64_t before = apply(message);
  PMPI_Send(&before, 1, MPI_INT64_T, status.MPI_SOURCE, kAnswerTag, comm_);
  return true;
}

void ServedCounter::serve() {
  constexpr std::chrono::microseconds kShortest{20};
  constexpr std::chrono::microseconds kLongest{20000};  // an idle server costs next to nothing
  auto pause = kShortest;
  while (!stopping_) {
    if (serve_one()) {
      pause = kShortest;
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongest);
    }
  }
}

Result<int64_t> ServedCounter::fetch_add(int64_t delta) { return ask({0, delta}); }

Status ServedCounter::store(int64_t value) {
  auto before = ask({1, value});
  return before ? Status{} : fail(before.error());
}

}  // namespace longshore
