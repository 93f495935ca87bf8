#include "check/reference.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace longshore::check {
namespace {

constexpr int kFileMode = 0644;
constexpr int64_t kNothing = -1;
constexpr size_t kIntBytes = 4;

class PlainFile {
 public:
  PlainFile(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, kFileMode)) {}
  ~PlainFile() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void write(std::span<const std::byte> bytes, int64_t at) const {
    while (!bytes.empty()) {
      const ssize_t moved = pwrite(fd_, bytes.data(), bytes.size(), at);
      if (moved <= 0) {
        return;  // found out by who reads it
      }
      bytes = bytes.subspan(static_cast<size_t>(moved));
      at += moved;
    }
  }
  // Fewer bytes at the end of the file.
  [[nodiscard]] std::vector<std::byte> read(int64_t at, int64_t length) const {
    std::vector<std::byte> bytes(static_cast<size_t>(length));
    size_t got = 0;
    for (ssize_t moved = 1; moved > 0 && got < bytes.size(); got += static_cast<size_t>(moved)) {
      moved = pread(fd_, bytes.data() + got, bytes.size() - got, at + static_cast<int64_t>(got));
      moved = std::max<ssize_t>(moved, 0);
    }
    bytes.resize(got);
    return bytes;
  }
  [[nodiscard]] int64_t length() const {
    struct stat facts {};
    return fstat(fd_, &facts) == 0 ? static_cast<int64_t>(facts.st_size) : kNothing;
  }

 private:
  int fd_;
};

std::byte content(int rank, int64_t memory) {
  const auto at = static_cast<uint64_t>(memory);
  const uint64_t mixed = (at * 7 + (at >> 8) * 13 + (at >> 16) * 29 + (at >> 24) * 3 +
                          static_cast<uint64_t>(rank) * 101 + 1);
  return static_cast<std::byte>(mixed & 0xff);
}

bool reversed(const Rule& rule, Side side) {
  return side == Side::kB && rule.facts().b_is_external32;
}

void reverse_ints(std::vector<std::byte>& bytes) {
  for (size_t at = 0; at + kIntBytes <= bytes.size(); at += kIntBytes) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + kIntBytes));
  }
}

std::vector<std::byte> expected(const Rule& rule, int rank, const Segment& segment) {
  std::vector<std::byte> bytes(static_cast<size_t>(segment.length));
  for (int64_t i = 0; !rule.facts().new_file && i < segment.length; ++i) {
    bytes[static_cast<size_t>(i)] = content(rank, segment.memory + i);
  }
  return bytes;
}

std::vector<std::byte> expected_in_file(const Rule& rule, int rank, const Segment& segment,
                                        Side side) {
  auto bytes = expected(rule, rank, segment);
  if (reversed(rule, side)) {
    reverse_ints(bytes);
  }
  return bytes;
}

int64_t end_of_file(const Rule& rule, const Place& place) {
  int64_t end = 0;
  Place other = place;
  for (other.rank = 0; other.rank < place.ranks; ++other.rank) {
    for (const auto& segment : rule.segments(other)) {
      end = std::max(end, segment.file + segment.length);
    }
  }
  return end;
}

// Offset of the first wrong byte of this rank's own, in the file.
int64_t wrong_in_file(const Rule& rule, const Place& place, Side side, const PlainFile& file) {
  for (const auto& segment : rule.segments(place)) {
    const auto want = expected_in_file(rule, place.rank, segment, side);
    const auto have = file.read(segment.file, segment.length);
    if (want != have) {
      const auto differ = std::mismatch(have.begin(), have.end(), want.begin()).first;
      return segment.file + (differ - have.begin());
    }
  }
  return kNothing;
}

int64_t wrong_in_memory(const Rule& rule, const Place& place, std::span<const std::byte> memory) {
  for (const auto& segment : rule.segments(place)) {
    const auto want = expected(rule, place.rank, segment);
    const auto have = memory.subspan(static_cast<size_t>(segment.memory), want.size());
    if (!std::equal(want.begin(), want.end(), have.begin())) {
      return segment.file;
    }
  }
  return kNothing;
}

uint64_t checksum(std::span<const std::byte> bytes) {
  uint64_t sum = 14695981039346656037U;
  for (const auto byte : bytes) {
    sum = (sum ^ static_cast<uint64_t>(byte)) * 1099511628211U;
  }
  return sum;
}

// Whether all ranks' blocks, found in the file or in memory, are those that were to be moved, in
// any order. Collective.
bool same_blocks(const Rule& rule, const Place& place, const PlainFile& file,
                 std::span<const std::byte> memory) {
  std::vector<uint64_t> have;
  std::vector<uint64_t> want;
  for (int call = 0; call < place.calls; ++call) {
    const int64_t at = call * place.bytes;
    want.push_back(checksum(expected(rule, place.rank, {at, 0, place.bytes})));
    have.push_back(
        checksum(place.direction == Direction::kRead
                     ? memory.subspan(static_cast<size_t>(at), static_cast<size_t>(place.bytes))
                     : std::span<const std::byte>(
                           file.read(place.rank * place.own_bytes() + at, place.bytes))));
  }
  const auto gathered = [&](std::vector<uint64_t>& own) {
    std::vector<uint64_t> all(own.size() * static_cast<size_t>(place.ranks));
    MPI_Allgather(own.data(), place.calls, MPI_UINT64_T, all.data(), place.calls, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    return all;
  };
  return gathered(have) == gathered(want);
}

}  // namespace

void fill_memory(const Rule& rule, const Place& place, std::span<std::byte> memory) {
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i] = rule.facts().new_file ? std::byte{0} : content(place.rank, static_cast<int64_t>(i));
  }
}

void write_file(const Rule& rule, const Place& place, Side side, const std::string& path) {
  {
    const PlainFile file(path, O_CREAT | O_WRONLY);
    for (const auto& segment : rule.segments(place)) {
      file.write(expected_in_file(rule, place.rank, segment, side), segment.file);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

std::string judge(const Rule& rule, const Place& place, Side side, const std::string& path,
                  std::span<const std::byte> memory) {
  MPI_Barrier(MPI_COMM_WORLD);
  const PlainFile file(path, O_RDONLY);
  const bool reads = place.direction == Direction::kRead;
  int64_t wrong = kNothing;
  if (rule.facts().any_order) {
    wrong = same_blocks(rule, place, file, memory) ? kNothing : 0;
  } else {
    wrong = reads ? wrong_in_memory(rule, place, memory) : wrong_in_file(rule, place, side, file);
  }
  int64_t worst = kNothing;
  MPI_Allreduce(&wrong, &worst, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (worst != kNothing) {
    return (reads ? "read a wrong byte from offset " : "the file is wrong at offset ") +
           std::to_string(worst);
  }
  int64_t length = reads ? end_of_file(rule, place) : file.length();
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  const int64_t end = end_of_file(rule, place);
  return length == end
             ? ""
             : "the file has " + std::to_string(length) + " bytes, not " + std::to_string(end);
}

void flip_byte(const Rule& rule, const Place& place, const std::string& path) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (place.rank == 0) {
    const PlainFile file(path, O_RDWR);
    const int64_t at = rule.segments(place).front().file;
    auto byte = file.read(at, 1);
    byte.front() ^= std::byte{1};
    file.write(byte, at);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace longshore::check
