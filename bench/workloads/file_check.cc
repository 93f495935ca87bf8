#include "workloads/file_check.h"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <span>

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

struct Found {
  int64_t written = kNone;
  int64_t hole = kNone;
};

// The bytes of the file from `begin` on.
struct Window {
  int64_t begin = 0;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::span<const std::byte> part(int64_t from, int64_t to) const {
    return std::span(bytes).subspan(static_cast<size_t>(from - begin),
                                    static_cast<size_t>(to - from));
  }
};

// The offset of the first byte of [from, to) that is not zero.
int64_t first_not_zero(const Window& window, int64_t from, int64_t to) {
  const auto part = window.part(from, to);
  const auto found =
      std::find_if(part.begin(), part.end(), [](std::byte b) { return b != std::byte{0}; });
  return found == part.end() ? kNone : from + (found - part.begin());
}

int64_t first_not_written(const Window& window, int64_t from, int64_t to, uint64_t seed) {
  const int64_t index = first_wrong(window.part(from, to), from, seed);
  return index < 0 ? kNone : from + index;
}

// Runs that overlap are wrong whatever is there; what lies between them must be zero.
Found check_window(int fd, const std::vector<Run>& runs, int64_t begin, int64_t end) {
  Window window{begin, read_window(fd, begin, end)};
  Found found;
  if (const auto got = static_cast<int64_t>(window.bytes.size()); got < end - begin) {
    found.written = begin + got;
    window.bytes.resize(static_cast<size_t>(end - begin));
  }
  int64_t at = begin;
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [begin](const Run& r) { return r.end <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    const int64_t from = std::max(run->begin, begin);
    const int64_t to = std::min(run->end, end);
    if (from < at) {
      found.written = std::min(found.written, from);
      continue;
    }
    found.hole = std::min(found.hole, first_not_zero(window, at, from));
    found.written = std::min(found.written, first_not_written(window, from, to, run->seed));
    at = to;
  }
  found.hole = std::min(found.hole, first_not_zero(window, at, end));
  return found;
}

Found check_share(int fd, const std::vector<Run>& runs, int64_t length) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Found all;
  struct stat facts {};
  check_errno(fstat(fd, &facts) == 0, "fstat");
  if (facts.st_size != length) {
    all.written = std::min<int64_t>(facts.st_size, length);
  }
  const int64_t end = length * (rank + 1) / ranks;
  for (int64_t begin = length * rank / ranks; begin < end; begin += kWindowBytes) {
    const auto found = check_window(fd, runs, begin, std::min(end, begin + kWindowBytes));
    all.written = std::min(all.written, found.written);
    all.hole = std::min(all.hole, found.hole);
  }
  return all;
}

// Collective.
std::optional<int64_t> least_of_all(int64_t own) {
  int64_t least = kNone;
  MPI_Allreduce(&own, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least == kNone ? std::nullopt : std::optional(least);
}

}  // namespace

WrongBytes find_wrong_bytes(const FileToCheck& file) {
  const auto runs = all_runs(file);
  const int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  check_errno(fd >= 0, file.path);
  const int64_t length = runs.back().end;
  const auto own = check_share(fd, runs, length);
  close(fd);
  return {least_of_all(own.written), least_of_all(own.hole), length};
}

}  // namespace longshore::bench
