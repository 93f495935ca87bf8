#include "workloads/transfer.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "host_clock.h"
#include "workloads/check.h"

namespace longshore::bench {
namespace {

constexpr int64_t kPlainCallBytes = int64_t{4} << 20;
constexpr int kFileMode = 0644;
constexpr int kLookMicroseconds = 200;
constexpr double kHeadStartSeconds = 0.03;  // for the message that says when to start

// Collective. A rank that is done sleeps between its looks: spinning in MPI, it would hold a core
// for whole ticks of the scheduler that the ranks still at work need.
Times slowest(const Times& mine) {
  Times most;
  MPI_Request request = MPI_REQUEST_NULL;
  static_assert(sizeof(Times) == 2 * sizeof(double));
  MPI_Iallreduce(&mine, &most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    usleep(kLookMicroseconds);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return most;
}

// All ranks start at one moment, for which they sleep: where ranks share cores, one leaves a
// barrier while others still sleep in it or spin on its core, and own times would be too short or
// too long. Between hosts, whose clocks differ, a barrier and each rank's own time have to do.
class Stopwatch {
 public:
  Stopwatch() : one_host_(on_one_host()) {
    MPI_Barrier(MPI_COMM_WORLD);
    start_ = host_seconds() + kHeadStartSeconds;
    if (one_host_) {
      MPI_Bcast(&start_, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      sleep_until(start_);
    } else {
      start_ = host_seconds();
    }
  }
  void calls_done() { calls_done_ = host_seconds(); }
  // Collective, after the work.
  [[nodiscard]] Times stop() const {
    return slowest({calls_done_ - start_, host_seconds() - start_});
  }

 private:
  bool one_host_;
  double start_ = 0;
  double calls_done_ = 0;
};

MPI_Info make_info(const Options& options) {
  MPI_Info info = MPI_INFO_NULL;
  if (!options.hints.empty()) {
    check(MPI_Info_create(&info), "MPI_Info_create");
  }
  for (const auto& [key, value] : options.hints) {
    check(MPI_Info_set(info, key.c_str(), value.c_str()), "MPI_Info_set");
  }
  return info;
}

// Collective: a view is set by all ranks or by none.
bool all_see_whole_file(const Workload& workload) {
  const int own = workload.displacement == 0 && workload.view.gapless() ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

MPI_File open_file(const Options& options, const Workload& workload, Direction direction) {
  MPI_Info info = make_info(options);
  const int mode =
      direction == Direction::kWrite ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
  MPI_File file = MPI_FILE_NULL;
  check(MPI_File_open(MPI_COMM_WORLD, options.file.c_str(), mode, info, &file), "MPI_File_open");
  if (!all_see_whole_file(workload)) {
    char native[] = "native";
    check(MPI_File_set_view(file, workload.displacement, MPI_BYTE, workload.view.type(), native,
                            info),
          "MPI_File_set_view");
  }
  if (info != MPI_INFO_NULL) {
    MPI_Info_free(&info);
  }
  return file;
}

int one_call(MPI_File file, const Options& options, const Workload& workload, const Call& call,
             void* memory, Direction direction, MPI_Status* status) {
  const MPI_Offset at = call.view_position;
  const int count = static_cast<int>(call.count);
  const MPI_Datatype type = workload.memory.type();
  if (direction == Direction::kWrite) {
    return options.independent ? MPI_File_write_at(file, at, memory, count, type, status)
                               : MPI_File_write_at_all(file, at, memory, count, type, status);
  }
  return options.independent ? MPI_File_read_at(file, at, memory, count, type, status)
                             : MPI_File_read_at_all(file, at, memory, count, type, status);
}

void check_full(const MPI_Status& status, int64_t wanted, Direction direction) {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (bytes != wanted) {
    give_up(kWrongBytes, std::string(direction == Direction::kWrite ? "a write" : "a read") +
                             " moved " + std::to_string(bytes) + " of " + std::to_string(wanted) +
                             " bytes");
  }
}

void plain_transfer(int fd, Direction direction, std::span<std::byte> bytes, int64_t at) {
  while (!bytes.empty()) {
    const auto now = std::min(bytes.size(), static_cast<size_t>(kPlainCallBytes));
    const ssize_t moved = direction == Direction::kWrite ? pwrite(fd, bytes.data(), now, at)
                                                         : pread(fd, bytes.data(), now, at);
    check_errno(moved > 0, direction == Direction::kWrite ? "pwrite" : "pread");
    bytes = bytes.subspan(static_cast<size_t>(moved));
    at += moved;
  }
}

}  // namespace

Times run_mpiio(const Options& options, const Workload& workload, Direction direction,
                std::span<std::byte> buffer) {
  MPI_File file = open_file(options, workload, direction);
  Stopwatch watch;
  for (const auto& call : workload.calls) {
    MPI_Status status;
    check(one_call(file, options, workload, call, buffer.data() + call.memory_offset, direction,
                   &status),
          direction == Direction::kWrite ? "a write" : "a read");
    check_full(status, workload.bytes_of(call), direction);
  }
  watch.calls_done();
  check(MPI_File_close(&file), "MPI_File_close");
  return watch.stop();
}

Times run_limit(const Options& options, const Workload& workload, Direction direction,
                std::span<std::byte> buffer) {
  const int flags = direction == Direction::kWrite ? O_CREAT | O_WRONLY : O_RDONLY;
  const int fd = open(options.plain_file.c_str(), flags | O_CLOEXEC, kFileMode);
  check_errno(fd >= 0, options.plain_file);
  Stopwatch watch;
  plain_transfer(fd, direction, buffer, workload.calls.front().view_position);
  watch.calls_done();
  check_errno(close(fd) == 0, "close");
  return watch.stop();
}

}  // namespace longshore::bench
