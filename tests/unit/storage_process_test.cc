// What a backend owes its callers when the process or the medium sets limits: each test changes
// something for a whole process and so runs in a child.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "storage/storage.h"
#include "storage/zero_fill.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing_support::Bytes;
using testing_support::ChildResult;
using testing_support::contents;
using testing_support::deny_system_call;
using testing_support::filled;
using testing_support::in_child;
using testing_support::mount_private_tmpfs;
using testing_support::read_write;
using testing_support::ScratchDir;

#define EXPECT_CHILD_PASSES(...)                                                       \
  switch (in_child(__VA_ARGS__)) {                                                     \
    case ChildResult::kPassed: break;                                                  \
    case ChildResult::kSkipped: GTEST_SKIP() << "this machine does not let us set up"; \
    case ChildResult::kFailed: FAIL() << "the child's output has the reason";          \
  }

// For children, which cannot use EXPECT: says where it failed.
#define CHILD_REQUIRE(condition)                                                 \
  if (!(condition)) {                                                            \
    std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    return ChildResult::kFailed;                                                 \
  }

class StorageProcess : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Storage> open_or_null(const std::string& path, const OpenOptions& options) {
    auto opened = open_storage(path, options, GetParam());
    return opened ? std::move(*opened) : nullptr;
  }

  ScratchDir dir_{testing_support::temp_parent()};
  std::string path_ = dir_.file("data");
};

// Pieces of 1 KiB with gaps of 1 KiB, so that no two adjoin.
std::vector<IoPiece> gapped(Bytes& memory) {
  std::vector<IoPiece> pieces;
  for (size_t at = 0; at < memory.size(); at += 1024) {
    pieces.push_back({static_cast<int64_t>(2 * at), memory.data() + at, 1024});
  }
  return pieces;
}

TEST_P(StorageProcess, FileSizeLimitIsAnErrorNotASignal) {
  EXPECT_CHILD_PASSES([&] {
    signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{65536, 65536};
    CHILD_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    auto storage = open_or_null(path_, read_write());
    CHILD_REQUIRE(storage != nullptr);
    Bytes data = filled(100000, 3);
    Outcome outcome = storage->write_at(0, data);
    CHILD_REQUIRE(outcome.bytes == 65536 && outcome.error.code == ErrorClass::kIo);
    CHILD_REQUIRE(outcome.error.sys_errno == EFBIG);
    const IoPiece piece{0, data.data(), 100000};
    outcome = storage->start(IoKind::kWrite, {&piece, 1})->wait();
    CHILD_REQUIRE(outcome.bytes == 65536 && outcome.error.sys_errno == EFBIG);
    Bytes more = filled(64 * 1024, 4);  // up to offset 128 KiB: half of it fits
    outcome = storage->transfer(IoKind::kWrite, gapped(more));
    CHILD_REQUIRE(outcome.bytes == 32 * 1024 && outcome.error.sys_errno == EFBIG);
    CHILD_REQUIRE(!storage->allocate(100000));
    CHILD_REQUIRE(contents(path_).size() == 65536);
    return storage->close() ? ChildResult::kPassed : ChildResult::kFailed;
  });
}

void on_size_limit(int) {}

TEST_P(StorageProcess, AProgramsOwnSignalHandlerStays) {
  EXPECT_CHILD_PASSES([&] {
    signal(SIGXFSZ, on_size_limit);
    const rlimit limit{65536, 65536};
    CHILD_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    auto storage = open_or_null(path_, read_write());
    CHILD_REQUIRE(storage != nullptr);
    CHILD_REQUIRE(signal(SIGXFSZ, SIG_DFL) == on_size_limit);
    return ChildResult::kPassed;
  });
}

TEST_P(StorageProcess, FullDiskKeepsThePrefix) {
  EXPECT_CHILD_PASSES([&] {
    if (!mount_private_tmpfs(dir_.path(), "size=1m")) {
      return ChildResult::kSkipped;
    }
    auto storage = open_or_null(path_, read_write());
    CHILD_REQUIRE(storage != nullptr);
    Bytes data = filled(1 << 20, 7);
    for (const bool background : {false, true}) {
      CHILD_REQUIRE(storage->resize(0));
      const auto pieces = gapped(data);
      const Outcome outcome = background ? storage->start(IoKind::kWrite, pieces)->wait()
                                         : storage->transfer(IoKind::kWrite, pieces);
      CHILD_REQUIRE(outcome.error.code == ErrorClass::kNoSpace);
      CHILD_REQUIRE(outcome.bytes > 0 && outcome.bytes < (1 << 20));
      Bytes back(static_cast<size_t>(outcome.bytes));
      std::vector<IoPiece> reads(pieces.begin(), pieces.begin() + outcome.bytes / 1024);
      for (size_t i = 0; i < reads.size(); ++i) {
        reads[i].memory = back.data() + i * 1024;
      }
      CHILD_REQUIRE(storage->transfer(IoKind::kRead, reads).bytes == outcome.bytes / 1024 * 1024);
      CHILD_REQUIRE(std::count(back.begin(), back.end(), std::byte{7}) >=
                    outcome.bytes / 1024 * 1024);
    }
    return storage->close() ? ChildResult::kPassed : ChildResult::kFailed;
  });
}

TEST_P(StorageProcess, FullDiskAtAllocateKeepsData) {
  EXPECT_CHILD_PASSES([&] {
    if (!mount_private_tmpfs(dir_.path(), "size=1m")) {
      return ChildResult::kSkipped;
    }
    auto storage = open_or_null(path_, read_write());
    CHILD_REQUIRE(storage != nullptr && storage->write_at(0, filled(1000, 7)).ok());
    const Status status = storage->allocate(2 << 20);
    CHILD_REQUIRE(!status && status.error().code == ErrorClass::kNoSpace);
    Bytes file = contents(path_);
    file.resize(1000);
    CHILD_REQUIRE(file == filled(1000, 7));
    return ChildResult::kPassed;
  });
}

TEST_P(StorageProcess, ReadOnlyMedium) {
  EXPECT_CHILD_PASSES([&] {
    if (!mount_private_tmpfs(dir_.path(), "size=1m")) {
      return ChildResult::kSkipped;
    }
    CHILD_REQUIRE(open_or_null(path_, read_write()) != nullptr);
    CHILD_REQUIRE(mount("none", dir_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "") == 0);
    const auto opened = open_storage(path_, read_write(), GetParam());
    CHILD_REQUIRE(!opened && opened.error().code == ErrorClass::kReadOnly);
    const Status removed = remove_file(path_);
    CHILD_REQUIRE(!removed && removed.error().code == ErrorClass::kReadOnly);
    return ChildResult::kPassed;
  });
}

TEST_P(StorageProcess, NoPermission) {
  EXPECT_CHILD_PASSES([&] {
    CHILD_REQUIRE(open_or_null(path_, read_write()) != nullptr);
    CHILD_REQUIRE(chmod(path_.c_str(), 0444) == 0);
    if (geteuid() == 0 && (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534))) {
      return ChildResult::kSkipped;
    }
    const auto opened = open_storage(path_, read_write(), GetParam());
    CHILD_REQUIRE(!opened && opened.error().code == ErrorClass::kAccess);
    CHILD_REQUIRE(open_or_null(path_, {}) != nullptr);
    return ChildResult::kPassed;
  });
}

// Where the file system cannot allocate, nothing is done; zeros make only a tail: [0, 100) stays.
TEST_P(StorageProcess, ZerosWhereThereIsNoFallocate) {
  EXPECT_CHILD_PASSES([&] {
    if (!deny_system_call(SYS_fallocate, EOPNOTSUPP)) {
      return ChildResult::kSkipped;
    }
    auto storage = open_or_null(path_, read_write());
    CHILD_REQUIRE(storage != nullptr && storage->write_at(0, filled(100, 7)).ok());
    const Status reserved = storage->allocate(5000);
    CHILD_REQUIRE(!reserved && reserved.error().code == ErrorClass::kUnsupportedOperation);
    CHILD_REQUIRE(append_zeros(*storage, 50) && contents(path_).size() == 100);
    CHILD_REQUIRE(append_zeros(*storage, (3 << 20) + 5));
    Bytes expected = filled(100, 7);
    expected.resize((3 << 20) + 5);
    CHILD_REQUIRE(contents(path_) == expected);
    struct stat info {};
    CHILD_REQUIRE(stat(path_.c_str(), &info) == 0 && info.st_blocks >= (3 << 20) / 512);
    return ChildResult::kPassed;
  });
}

TEST_P(StorageProcess, ForkedChildStillTransfers) {
  auto storage = open_or_null(path_, read_write());
  ASSERT_NE(storage, nullptr);
  Bytes data = filled(4096, 1);
  const std::vector<IoPiece> pieces = {{0, data.data(), 100}, {8000, data.data(), 4096}};
  ASSERT_EQ(storage->start(IoKind::kWrite, pieces)->wait().bytes, 4196);
  EXPECT_CHILD_PASSES([&] {
    CHILD_REQUIRE(storage->start(IoKind::kWrite, pieces)->wait().bytes == 4196);
    CHILD_REQUIRE(storage->transfer(IoKind::kRead, pieces).bytes == 4196);
    CHILD_REQUIRE(storage->close());
    storage.reset();
    return ChildResult::kPassed;
  });
  EXPECT_EQ(storage->start(IoKind::kRead, pieces)->wait().bytes, 4196);
  EXPECT_TRUE(storage->close());
}

INSTANTIATE_TEST_SUITE_P(Backends, StorageProcess, testing::Values("posix", "io_uring"),
                         [](const auto& test) { return std::string(test.param); });

// Skipped where the kernel has no io_uring to refuse.
TEST(StorageBackend, FallsBackToPosixWhenTheKernelRefuses) {
  const ScratchDir dir(testing_support::temp_parent());
  EXPECT_CHILD_PASSES([&] {
    auto ring = open_storage(dir.file("a"), read_write(), "io_uring");
    CHILD_REQUIRE(ring);
    if ((*ring)->backend() != "io_uring") {
      return ChildResult::kSkipped;
    }
    ring->reset();
    if (!deny_system_call(SYS_io_uring_setup, EPERM)) {
      return ChildResult::kSkipped;
    }
    ring = open_storage(dir.file("a"), read_write(), "io_uring");
    CHILD_REQUIRE(ring && (*ring)->backend() == "posix");
    CHILD_REQUIRE((*ring)->write_at(0, filled(10, 1)).bytes == 10);
    return ChildResult::kPassed;
  });
}

// The ring was made, but the kernel takes nothing from it: plain calls do the work.
TEST(StorageBackend, RingThatFailsLaterIsReplacedByPlainCalls) {
  const ScratchDir dir(testing_support::temp_parent());
  EXPECT_CHILD_PASSES([&] {
    auto ring = open_storage(dir.file("a"), read_write(), "io_uring");
    CHILD_REQUIRE(ring);
    if ((*ring)->backend() != "io_uring" || !deny_system_call(SYS_io_uring_enter, EPERM)) {
      return ChildResult::kSkipped;
    }
    Bytes data = filled(300 * 1024, 5);
    const auto pieces = gapped(data);
    for (int round = 0; round < 3; ++round) {
      CHILD_REQUIRE((*ring)->transfer(IoKind::kWrite, pieces).bytes == 300 * 1024);
      CHILD_REQUIRE((*ring)->start(IoKind::kRead, pieces)->wait().bytes == 300 * 1024);
    }
    return ChildResult::kPassed;
  });
}

// Ten pieces of 1 KiB, gapped; one that overlaps the last of them and so waits for it; five more.
// The ring takes ten runs at first and then six: a kernel that refuses six fails it halfway.
struct TwoBatches {
  static constexpr uint32_t kSecond = 6;
  static constexpr int64_t kPiece = 1024;

  TwoBatches() {
    for (int64_t i = 0; i < 10 + int64_t{kSecond}; ++i) {
      const int64_t offset = i < 10 ? 2 * kPiece * i : 2 * kPiece * (i - 1) + kPiece / 2;
      std::byte* memory = data.data() + i * kPiece;
      std::fill_n(memory, kPiece, static_cast<std::byte>(i + 1));
      pieces.push_back({offset, memory, kPiece});
    }
  }

  // What the file holds after the first `bytes` of the pieces.
  [[nodiscard]] Bytes file_after(int64_t bytes) const {
    Bytes file;
    for (const IoPiece& piece : pieces) {
      const int64_t moved = std::min(bytes, kPiece);
      if (moved > 0) {
        file.resize(std::max(file.size(), static_cast<size_t>(piece.offset + moved)));
        std::copy_n(piece.memory, moved, file.begin() + piece.offset);
      }
      bytes -= moved;
    }
    return file;
  }

  Bytes data = Bytes((10 + kSecond) * kPiece);
  std::vector<IoPiece> pieces;
};

// Runs the batches on a ring that the kernel refuses from the second one on if `refuse`; true if
// the outcome is `bytes` and `sys_errno`, and the file holds just those bytes.
ChildResult write_two_batches(const std::string& path, bool background, bool refuse,
                              const Outcome& expected) {
  auto ring = open_storage(path, read_write(), "io_uring");
  CHILD_REQUIRE(ring);
  if ((*ring)->backend() != "io_uring" ||
      (refuse && !deny_system_call(SYS_io_uring_enter, EPERM, TwoBatches::kSecond))) {
    return ChildResult::kSkipped;
  }
  const TwoBatches batches;
  const Outcome outcome = background ? (*ring)->start(IoKind::kWrite, batches.pieces)->wait()
                                     : (*ring)->transfer(IoKind::kWrite, batches.pieces);
  CHILD_REQUIRE(outcome.bytes == expected.bytes);
  CHILD_REQUIRE(outcome.error.code == expected.error.code);
  CHILD_REQUIRE(outcome.error.sys_errno == expected.error.sys_errno);
  CHILD_REQUIRE(contents(path) == batches.file_after(expected.bytes));
  return (*ring)->close() ? ChildResult::kPassed : ChildResult::kFailed;
}

TEST(StorageBackend, RingThatFailsHalfwayIsFinishedByPlainCalls) {
  for (const bool background : {false, true}) {
    const ScratchDir dir(testing_support::temp_parent());
    EXPECT_CHILD_PASSES([&] {
      return write_two_batches(dir.file("a"), background, true, {16 * 1024, {}});
    });
  }
}

// The limit cuts piece 13, at [24.5, 25.5) KiB, after 100 bytes: 13 KiB and 100 bytes count.
TEST(StorageBackend, RingThatMeetsALimitHalfwayCountsTheTruePrefix) {
  for (const bool background : {false, true}) {
    for (const bool refuse : {false, true}) {
      const ScratchDir dir(testing_support::temp_parent());
      EXPECT_CHILD_PASSES([&] {
        constexpr rlim_t kLimit = 24 * 1024 + 512 + 100;
        const rlimit limit{kLimit, kLimit};
        CHILD_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        return write_two_batches(dir.file("a"), background, refuse,
                                 {13 * 1024 + 100, {ErrorClass::kIo, EFBIG, ""}});
      });
    }
  }
}

TEST(StorageBackend, NamesAndUnknownNames) {
  const ScratchDir dir(testing_support::temp_parent());
  EXPECT_EQ((*open_storage(dir.file("a"), read_write(), "auto"))->backend(), "posix");
  const auto unknown = open_storage(dir.file("a"), read_write(), "tape");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorClass::kInvalidArgument);
}

}  // namespace
}  // namespace longshore
