// The retry loop against scripted system calls, special files, locks, removal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <thread>

#include "storage/move_pieces.h"
#include "storage/run_cursor.h"
#include "storage/storage.h"
#include "storage/worker_pool.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Bytes;
using testing_support::ChildResult;
using testing_support::deny_system_call;
using testing_support::filled;
using testing_support::in_child;
using testing_support::read_write;
using testing_support::ScratchDir;

// (offset, bytes, vectors) of each run.
std::vector<std::vector<int64_t>> runs_of(std::span<const IoPiece> pieces) {
  std::vector<std::vector<int64_t>> runs;
  RunCursor cursor(pieces);
  for (IoRun run; cursor.next(run);) {
    runs.push_back({run.offset, run.bytes, run.vector_count()});
  }
  return runs;
}

TEST(RunCursor, JoinsWhatAdjoinsInTheFile) {
  Bytes memory(100);
  std::byte* at = memory.data();
  // [0,4) and [4,8) adjoin in the file; [8,12) in memory too; [20,24) stands apart; then back.
  const std::vector<IoPiece> pieces = {{0, at, 4},      {50, at, 0}, {4, at + 50, 4},
                                       {8, at + 54, 4}, {20, at, 4}, {0, at, 4}};
  EXPECT_THAT(runs_of(pieces),
              ElementsAre(ElementsAre(0, 12, 2), ElementsAre(20, 4, 1), ElementsAre(0, 4, 1)));
  EXPECT_THAT(runs_of({}), ElementsAre());
}

TEST(RunCursor, CutsAtTheKernelsLimits) {
  std::byte byte{};
  std::vector<IoPiece> many;
  for (int64_t i = 0; i < 1500; ++i) {
    many.push_back({i, &byte, 1});
  }
  EXPECT_THAT(runs_of(many), ElementsAre(ElementsAre(0, 1024, 1024), ElementsAre(1024, 476, 476)));
  // The memory is never touched.
  const std::vector<IoPiece> large = {{10, &byte, kMaxRunBytes + 7}, {17 + kMaxRunBytes, &byte, 3}};
  EXPECT_THAT(runs_of(large),
              ElementsAre(ElementsAre(10, kMaxRunBytes, 1), ElementsAre(10 + kMaxRunBytes, 10, 2)));
}

TEST(IoRunTest, DropFrontCrossesVectors) {
  Bytes memory(10);
  IoRun run{100, 10, {{memory.data(), 4}, {memory.data() + 4, 6}}, 0};
  run.drop_front(5);
  EXPECT_EQ(run.offset, 105);
  EXPECT_EQ(run.bytes, 5);
  ASSERT_EQ(run.vector_count(), 1);
  EXPECT_EQ(run.vectors()->iov_base, memory.data() + 5);
  EXPECT_EQ(run.vectors()->iov_len, 5U);
}

// Answers calls with scripted results and notes the offsets asked for.
struct ScriptedCalls {
  std::deque<int64_t> results;
  std::vector<int64_t> offsets;

  Outcome move(IoKind kind, std::span<const IoPiece> pieces) {
    return move_pieces(
        [this](IoKind, const IoRun& run) {
          offsets.push_back(run.offset);
          const int64_t result = results.empty() ? run.bytes : results.front();
          if (!results.empty()) {
            results.pop_front();
          }
          return result;
        },
        kind, pieces);
  }
};

TEST(MovePieces, RetriesInterruptedBusyAndShortCalls) {
  std::byte byte{};
  const std::vector<IoPiece> pieces = {{0, &byte, 10}, {20, &byte, 5}};
  ScriptedCalls calls{{-EINTR, 3, -EAGAIN, 7, 2}, {}};
  const Outcome outcome = calls.move(IoKind::kWrite, pieces);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.bytes, 15);
  EXPECT_THAT(calls.offsets, ElementsAre(0, 0, 3, 3, 20, 22));
}

TEST(MovePieces, WriteOfNothingIsAnError) {
  std::byte byte{};
  const std::vector<IoPiece> pieces = {{0, &byte, 10}, {20, &byte, 5}};
  ScriptedCalls calls{{4, 0}, {}};
  const Outcome outcome = calls.move(IoKind::kWrite, pieces);
  EXPECT_EQ(outcome.error.sys_errno, EIO);
  EXPECT_EQ(outcome.bytes, 4);
  EXPECT_THAT(outcome.error.detail, HasSubstr("write at offset 4"));
}

TEST(MovePieces, FailureAndEndOfFileStopBeforeTheNextPiece) {
  std::byte byte{};
  const std::vector<IoPiece> pieces = {{0, &byte, 10}, {20, &byte, 5}};
  ScriptedCalls failing{{6, -ENOSPC}, {}};
  EXPECT_EQ(failing.move(IoKind::kWrite, pieces).bytes, 6);
  EXPECT_THAT(failing.offsets, ElementsAre(0, 6));
  ScriptedCalls ending{{6, 0}, {}};
  const Outcome outcome = ending.move(IoKind::kRead, pieces);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.bytes, 6);
  EXPECT_THAT(ending.offsets, ElementsAre(0, 6));
}

TEST(MovePieces, AMediumThatStaysBusyFailsInTheEnd) {
  std::byte byte{};
  const IoPiece piece{0, &byte, 1};
  int attempts = 0;
  ManualClock clock;
  const Outcome outcome = move_pieces(
      [&](IoKind, const IoRun&) -> int64_t {
        ++attempts;
        return -EAGAIN;
      },
      IoKind::kRead, {&piece, 1}, clock);
  EXPECT_EQ(outcome.error.sys_errno, EAGAIN);
  EXPECT_EQ(clock.now_ns(), int64_t{kMaxBusyRetries} * 1'000'000);
  EXPECT_EQ(attempts, kMaxBusyRetries + 1);
}

class SpecialFile : public testing::TestWithParam<const char*> {};

// /dev/null takes everything without looking, so five GiB of address space will do.
TEST_P(SpecialFile, MoreThanOneCallCanMove) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer looks at every byte, which takes a minute";
#endif
  constexpr size_t kLength = size_t{5} << 30;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* space = mmap(nullptr, kLength, PROT_NONE, kFlags, -1, 0);
  ASSERT_NE(space, MAP_FAILED);
  OpenOptions options = read_write();
  options.create = false;
  auto null = open_storage("/dev/null", options, GetParam());
  ASSERT_TRUE(null);
  const IoPiece piece{0, static_cast<std::byte*>(space), static_cast<int64_t>(kLength)};
  EXPECT_EQ((*null)->transfer(IoKind::kWrite, {&piece, 1}).bytes, piece.length);
  EXPECT_EQ((*null)->start(IoKind::kWrite, {&piece, 1})->wait().bytes, piece.length);
  EXPECT_EQ((*null)->transfer(IoKind::kRead, {&piece, 1}).bytes, 0);
  EXPECT_TRUE((*null)->sync());
  EXPECT_TRUE((*null)->close());
  munmap(space, kLength);
}

INSTANTIATE_TEST_SUITE_P(Backends, SpecialFile, testing::Values("posix", "io_uring"),
                         [](const auto& test) { return std::string(test.param); });

// True if another opener could lock the range now.
bool lockable(const std::string& path, Extent range, short type) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct flock region {};
  region.l_type = type;
  region.l_start = range.begin;
  region.l_len = range.length();
  const bool locked = fcntl(fd, F_OFD_SETLK, &region) == 0;
  ::close(fd);
  return locked;
}

TEST(StorageLock, ExcludesOtherOpenersInItsRangeOnly) {
  const ScratchDir dir(testing_support::temp_parent());
  const std::string path = dir.file("data");
  auto storage = std::move(*open_storage(path, read_write(), "posix"));
  ASSERT_TRUE(storage->lock({100, 200}, true));
  EXPECT_FALSE(lockable(path, {150, 160}, F_RDLCK));
  EXPECT_TRUE(lockable(path, {0, 100}, F_WRLCK));
  EXPECT_TRUE(lockable(path, {200, 300}, F_WRLCK));
  storage->unlock({100, 150});
  EXPECT_TRUE(lockable(path, {100, 150}, F_WRLCK));
  EXPECT_FALSE(lockable(path, {150, 151}, F_WRLCK));
  storage->unlock({0, INT64_MAX});
  ASSERT_TRUE(storage->lock({100, 200}, false));
  EXPECT_TRUE(lockable(path, {150, 160}, F_RDLCK));
  EXPECT_FALSE(lockable(path, {150, 160}, F_WRLCK));
  EXPECT_TRUE(storage->close());
  EXPECT_TRUE(lockable(path, {100, 200}, F_WRLCK));
}

// The child asks for the lock that the parent holds, and must find what the parent wrote under it.
TEST(StorageLock, BlocksAnotherProcessUntilUnlocked) {
  const ScratchDir dir(testing_support::temp_parent());
  const std::string path = dir.file("data");
  auto storage = std::move(*open_storage(path, read_write(), "posix"));
  ASSERT_TRUE(storage->lock({0, 10}, true));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  std::thread writer([&] {
    char mark = 0;
    EXPECT_EQ(read(ready[0], &mark, 1), 1);
    EXPECT_EQ(storage->write_at(0, filled(10, 9)).bytes, 10);
    storage->unlock({0, 10});
  });
  const ChildResult result = in_child([&] {
    auto mine = std::move(*open_storage(path, read_write(), "posix"));
    if (write(ready[1], "x", 1) != 1 || !mine->lock({5, 6}, true)) {
      return ChildResult::kFailed;
    }
    Bytes seen(10);
    return mine->read_at(0, seen).bytes == 10 && seen == filled(10, 9) ? ChildResult::kPassed
                                                                       : ChildResult::kFailed;
  });
  writer.join();
  EXPECT_EQ(result, ChildResult::kPassed);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(StorageLock, ExclusiveNeedsWriting) {
  const ScratchDir dir(testing_support::temp_parent());
  const std::string path = dir.file("data");
  ASSERT_TRUE(open_storage(path, read_write(), "posix"));
  auto storage = std::move(*open_storage(path, {}, "posix"));
  EXPECT_EQ(storage->lock({0, 1}, true).error().code, ErrorClass::kAccess);
  EXPECT_EQ(storage->lock({-5, 1}, false).error().code, ErrorClass::kInvalidArgument);
}

TEST(StorageLock, WithoutDescriptionLocksProcessLocksServe) {
  const ScratchDir dir(testing_support::temp_parent());
  const std::string path = dir.file("data");
  const ChildResult result = in_child([&] {
    auto storage = std::move(*open_storage(path, read_write(), "posix"));
    if (!deny_system_call(SYS_fcntl, EINVAL, F_OFD_SETLKW)) {
      return ChildResult::kSkipped;
    }
    if (!storage->lock({0, 10}, true) || lockable(path, {0, 1}, F_WRLCK)) {
      return ChildResult::kFailed;
    }
    return ChildResult::kPassed;
  });
  EXPECT_NE(result, ChildResult::kFailed);
}

TEST(StorageLock, AFileSystemWithoutLocksSaysSo) {
  const ScratchDir dir(testing_support::temp_parent());
  const ChildResult result = in_child([&] {
    auto storage = std::move(*open_storage(dir.file("data"), read_write(), "posix"));
    if (!deny_system_call(SYS_fcntl, ENOLCK, F_OFD_SETLKW)) {
      return ChildResult::kSkipped;
    }
    const Status status = storage->lock({0, 10}, true);
    return !status && status.error().code == ErrorClass::kUnsupportedOperation
               ? ChildResult::kPassed
               : ChildResult::kFailed;
  });
  EXPECT_NE(result, ChildResult::kFailed);
}

// Advice changes nothing, wherever it points. What was just written is in memory, where a file
// system can tell.
TEST(StorageAdvice, IsOnlyAdvice) {
  for (const std::string& parent : {testing_support::temp_parent(), std::string("/dev/shm")}) {
    const ScratchDir dir(parent);
    auto storage = std::move(*open_storage(dir.file("data"), read_write(), "posix"));
    const Bytes data = filled(10000, 3);
    ASSERT_TRUE(storage->write_at(0, data).ok());
    for (const Extent range : {Extent{0, 10000}, Extent{5000, 5000}, Extent{9000, 1 << 30},
                               Extent{int64_t{1} << 40, INT64_MAX}}) {
      storage->will_need(range);
      storage->done_with(range);
    }
    EXPECT_EQ(storage->cached(9999), storage->cached(0));
    EXPECT_TRUE(storage->cached(0) || parent != "/dev/shm");
    EXPECT_EQ(*storage->size(), 10000);
    EXPECT_TRUE(storage->close());
    EXPECT_EQ(testing_support::contents(dir.file("data")), data);
  }
}

TEST(RemoveFile, RemovesFilesOnly) {
  const ScratchDir dir(testing_support::temp_parent());
  const std::string path = dir.file("data");
  ASSERT_TRUE(open_storage(path, read_write(), "posix"));
  EXPECT_TRUE(remove_file(path));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(remove_file(path).error().code, ErrorClass::kNoSuchFile);
  EXPECT_EQ(remove_file(dir.path()).error().code, ErrorClass::kBadFile);
}

size_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(WorkerPool, NothingRunsAfterTheLastClose) {
  const ScratchDir dir(testing_support::temp_parent());
  const size_t before = thread_count();
  auto storage = std::move(*open_storage(dir.file("data"), read_write(), "posix"));
  EXPECT_EQ(thread_count(), before);
  std::byte byte{1};
  const IoPiece piece{0, &byte, 1};
  EXPECT_TRUE(storage->start(IoKind::kWrite, {&piece, 1})->wait().ok());
  EXPECT_GT(thread_count(), before);
  EXPECT_TRUE(storage->close());
  EXPECT_EQ(thread_count(), before);
}

// More waits than threads, each for a task that the waiter may have to run itself.
TEST(WorkerPool, RunsEveryTaskOnce) {
  WorkerPool pool;
  std::atomic<int> runs{0};
  std::vector<std::unique_ptr<PendingIo>> pending;
  for (int i = 0; i < 200; ++i) {
    pending.push_back(pool.run([&runs, i] {
      ++runs;
      return Outcome{i, {}};
    }));
  }
  for (int i = 199; i >= 100; --i) {
    EXPECT_EQ(pending[static_cast<size_t>(i)]->wait().bytes, i);
  }
  pending.clear();
  EXPECT_EQ(runs, 200);
}

}  // namespace
}  // namespace longshore
