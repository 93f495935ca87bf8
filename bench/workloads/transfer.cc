#include "workloads/transfer.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "workloads/check.h"

namespace longshore::bench {
namespace {

constexpr int64_t kPlainCallBytes = int64_t{4} << 20;
constexpr int kFileMode = 0644;

class Stopwatch {
 public:
  Stopwatch() {
    MPI_Barrier(MPI_COMM_WORLD);
    start_ = MPI_Wtime();
  }
  // Collective: what has passed on the slowest rank. Call it after the work, once.
  static Times slowest(const Times& own) {
    Times most;
    MPI_Allreduce(&own.calls, &most.calls, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&own.total, &most.total, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
  }
  [[nodiscard]] double seconds() const { return MPI_Wtime() - start_; }

 private:
  double start_ = 0;
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

bool shows_whole_file(const Workload& workload) {
  return workload.displacement == 0 && workload.view.pieces().size() == 1 &&
         workload.view.size_bytes() == workload.view.extent_bytes();
}

MPI_File open_file(const Options& options, const Workload& workload, Direction direction) {
  MPI_Info info = make_info(options);
  const int mode =
      direction == Direction::kWrite ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
  MPI_File file = MPI_FILE_NULL;
  check(MPI_File_open(MPI_COMM_WORLD, options.file.c_str(), mode, info, &file), "MPI_File_open");
  if (!shows_whole_file(workload)) {
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
  const MPI_Datatype type = workload.memory.type();
  if (direction == Direction::kWrite) {
    return options.independent ? MPI_File_write_at(file, at, memory, 1, type, status)
                               : MPI_File_write_at_all(file, at, memory, 1, type, status);
  }
  return options.independent ? MPI_File_read_at(file, at, memory, 1, type, status)
                             : MPI_File_read_at_all(file, at, memory, 1, type, status);
}

void check_full(const MPI_Status& status, const Workload& workload, Direction direction) {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (bytes != workload.memory.size_bytes()) {
    give_up(kWrongBytes, std::string(direction == Direction::kWrite ? "a write" : "a read") +
                             " moved " + std::to_string(bytes) + " of " +
                             std::to_string(workload.memory.size_bytes()) + " bytes");
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
  Times own;
  const Stopwatch watch;
  for (const auto& call : workload.calls) {
    MPI_Status status;
    check(one_call(file, options, workload, call, buffer.data() + call.memory_offset, direction,
                   &status),
          direction == Direction::kWrite ? "a write" : "a read");
    check_full(status, workload, direction);
  }
  own.calls = watch.seconds();
  check(MPI_File_close(&file), "MPI_File_close");
  own.total = watch.seconds();
  return Stopwatch::slowest(own);
}

Times run_limit(const Options& options, const Workload& workload, Direction direction,
                std::span<std::byte> buffer) {
  const int flags = direction == Direction::kWrite ? O_CREAT | O_WRONLY : O_RDONLY;
  const int fd = open(options.file.c_str(), flags | O_CLOEXEC, kFileMode);
  check_errno(fd >= 0, options.file);
  Times own;
  const Stopwatch watch;
  plain_transfer(fd, direction, buffer, workload.calls.front().view_position);
  own.calls = watch.seconds();
  check_errno(close(fd) == 0, "close");
  own.total = watch.seconds();
  return Stopwatch::slowest(own);
}

}  // namespace longshore::bench
