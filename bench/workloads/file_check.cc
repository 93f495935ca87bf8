#include "workloads/file_check.h"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "workloads/check.h"
#include "workloads/content.h"

namespace longshore::bench {
namespace {

constexpr int64_t kWindowBytes = int64_t{4} << 20;
constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

// Bytes of the file with one seed.
struct Run {
  int64_t begin = 0;
  int64_t end = 0;
  uint64_t seed = 0;
};

std::vector<Run> all_runs(const FileToCheck& file) {
  std::vector<Run> runs;
  for (const auto& workload : file.of_all_ranks) {
    for (size_t i = 0; i < workload.calls.size(); ++i) {
      const uint64_t seed = seed_of(file.repetition, i);
      for_each_segment(workload, workload.calls[i], [&](const Segment& segment) {
        const int64_t begin = segment.file_offset;
        if (!runs.empty() && runs.back().end == begin && runs.back().seed == seed) {
          runs.back().end += segment.length;
        } else {
          runs.push_back({begin, begin + segment.length, seed});
        }
      });
    }
  }
  std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  return runs;
}

// Reads [begin, end) as far as the file goes.
std::vector<std::byte> read_window(int fd, int64_t begin, int64_t end) {
  std::vector<std::byte> bytes(static_cast<size_t>(end - begin));
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t now =
        pread(fd, bytes.data() + got, bytes.size() - got, begin + static_cast<int64_t>(got));
    check_errno(now >= 0, "pread");
    if (now == 0) {
      break;
    }
    got += static_cast<size_t>(now);
  }
  bytes.resize(got);
  return bytes;
}

// The runs must not overlap; what lies between them must be zero.
int64_t check_window(int fd, const std::vector<Run>& runs, int64_t begin, int64_t end) {
  const auto got = read_window(fd, begin, end);
  std::vector<std::byte> expected(static_cast<size_t>(end - begin));
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [begin](const Run& r) { return r.end <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    const int64_t from = std::max(run->begin, begin);
    const int64_t to = std::min(run->end, end);
    fill(std::span(expected).subspan(static_cast<size_t>(from - begin),
                                     static_cast<size_t>(to - from)),
         from, run->seed);
  }
  const auto differs =
      std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).second;
  return differs == expected.end() ? kNone : begin + (differs - expected.begin());
}

int64_t check_share(int fd, const std::vector<Run>& runs, int64_t length) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t end = length * (rank + 1) / ranks;
  for (int64_t begin = length * rank / ranks; begin < end; begin += kWindowBytes) {
    const int64_t wrong = check_window(fd, runs, begin, std::min(end, begin + kWindowBytes));
    if (wrong != kNone) {
      return wrong;
    }
  }
  struct stat facts {};
  check_errno(fstat(fd, &facts) == 0, "fstat");
  return facts.st_size == length ? kNone : std::min<int64_t>(facts.st_size, length);
}

}  // namespace

std::optional<int64_t> first_wrong_offset(const FileToCheck& file) {
  const auto runs = all_runs(file);
  const int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  check_errno(fd >= 0, file.path);
  const int64_t own = check_share(fd, runs, runs.back().end);
  close(fd);
  int64_t least = kNone;
  MPI_Allreduce(&own, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least == kNone ? std::nullopt : std::optional(least);
}

}  // namespace longshore::bench
