// Every way of an independent transfer against a byte-by-byte reference.
#include "independent/transfer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "storage/recording.h"

namespace longshore {
namespace {

using Bytes = std::vector<std::byte>;

std::byte value(int64_t i) { return static_cast<std::byte>(i * 7 + 1); }

Bytes filled(int64_t length, int seed) {
  Bytes bytes(static_cast<size_t>(length));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = value(static_cast<int64_t>(i) * 3 + seed);
  }
  return bytes;
}

class TempFile {
 public:
  // With a log, what is done after this constructor is in it.
  explicit TempFile(const Bytes& content, const std::shared_ptr<CallLog>& log = nullptr)
      : path_(testing::TempDir() + "independent_test." + std::to_string(getpid())) {
    OpenOptions options;
    options.write = true;
    options.create = true;
    storage_ = std::move(*open_storage(path_, options, "posix"));
    EXPECT_TRUE(storage_->resize(0));
    EXPECT_TRUE(storage_->write_at(0, content).ok());
    if (log != nullptr) {
      storage_ = std::make_unique<RecordingStorage>(std::move(storage_), log);
    }
  }
  ~TempFile() {
    EXPECT_TRUE(storage_->close());
    EXPECT_TRUE(remove_file(path_));
  }
  Storage& storage() { return *storage_; }
  Bytes content() {
    Bytes bytes(static_cast<size_t>(*storage_->size()));
    EXPECT_TRUE(storage_->read_at(0, bytes).ok());
    return bytes;
  }

 private:
  std::string path_;
  std::unique_ptr<Storage> storage_;
};

// Blocks of `block` bytes every `stride`, seen through tiles of `blocks`.
TiledPattern random_view() {
  const auto block = *rc::gen::inRange<int64_t>(1, 20);
  const auto stride = block + *rc::gen::inRange<int64_t>(0, 20);
  const auto blocks = *rc::gen::inRange<int64_t>(1, 5);
  return {*rc::gen::inRange<int64_t>(0, 30), stride * blocks,
          Pattern::repeat(blocks, stride, Pattern::run(block))};
}

Access random_access(IoKind kind, std::byte* base) {
  Access access;
  access.kind = kind;
  access.view = random_view();
  access.first = *rc::gen::inRange<int64_t>(0, 60);
  const auto piece = *rc::gen::inRange<int64_t>(1, 9);
  const auto gap = *rc::gen::inRange<int64_t>(0, 5);
  access.memory =
      Pattern::repeat(*rc::gen::inRange<int64_t>(0, 25), piece + gap, Pattern::run(piece));
  access.last = access.first + access.memory.size();
  access.base = base;
  return access;
}

IndependentOptions random_options(std::mutex& locks) {
  IndependentOptions options;
  options.read = *rc::gen::element(Sieving::kAutomatic, Sieving::kEnable, Sieving::kDisable);
  options.write = *rc::gen::element(Sieving::kAutomatic, Sieving::kEnable, Sieving::kDisable);
  options.read_buffer_bytes = *rc::gen::inRange<int64_t>(1, 64);
  options.write_buffer_bytes = *rc::gen::inRange<int64_t>(1, 64);
  options.read_density_percent = *rc::gen::inRange<int64_t>(0, 101);
  options.write_density_percent = *rc::gen::inRange<int64_t>(0, 101);
  options.only_contiguous = *rc::gen::element(false, true);
  options.prefetch = {*rc::gen::inRange<int64_t>(-1, 5), *rc::gen::inRange<int64_t>(0, 100)};
  options.locks = *rc::gen::element<std::mutex*>(nullptr, &locks);
  return options;
}

constexpr int64_t kMemoryBytes = 400;

RC_GTEST_PROP(IndependentProperty, WritesTouchWhatTheyShouldAndNothingElse, ()) {
  Bytes memory = filled(kMemoryBytes, 5);
  std::mutex locks;
  const Access access = random_access(IoKind::kWrite, memory.data());
  Bytes expected = filled(*rc::gen::inRange<int64_t>(0, 500), 0);
  TempFile file(expected);
  for (int64_t p = 0; p < access.bytes(); ++p) {
    const auto at = static_cast<size_t>(access.view.offset_at(access.first + p));
    expected.resize(std::max(expected.size(), at + 1));
    expected[at] = memory[static_cast<size_t>(access.memory.offset_at(p))];
  }
  const Outcome outcome = run_independent(file.storage(), access, random_options(locks));
  RC_ASSERT(outcome.ok());
  RC_ASSERT(outcome.bytes == access.bytes());
  RC_ASSERT(file.content() == expected);
}

RC_GTEST_PROP(IndependentProperty, ReadsBringATruePrefix, ()) {
  const Bytes content = filled(*rc::gen::inRange<int64_t>(0, 500), 0);
  TempFile file(content);
  Bytes memory = filled(kMemoryBytes, 9);
  Bytes expected = memory;
  std::mutex locks;
  const Access access = random_access(IoKind::kRead, memory.data());
  int64_t count = 0;
  for (int64_t p = 0; p < access.bytes(); ++p, ++count) {
    const auto at = static_cast<size_t>(access.view.offset_at(access.first + p));
    if (at >= content.size()) {
      break;
    }
    expected[static_cast<size_t>(access.memory.offset_at(p))] = content[at];
  }
  const Outcome outcome = run_independent(file.storage(), access, random_options(locks));
  RC_ASSERT(outcome.ok());
  RC_ASSERT(outcome.bytes == count);
  RC_ASSERT(memory == expected);
}

// 1000 bytes, every second of them: half of the hull.
class Density : public testing::Test {
 protected:
  Density() : file_(filled(1000, 0), log_) {}

  std::vector<StorageCall> calls(IoKind kind, const IndependentOptions& options) {
    log_->clear();
    Bytes memory(500);
    Access access;
    access.kind = kind;
    access.view = TiledPattern(0, 2, Pattern::run(1));
    access.last = 500;
    access.memory = Pattern::run(500);
    access.base = memory.data();
    EXPECT_EQ(run_independent(file_.storage(), access, options).bytes, 500);
    return log_->calls();
  }

  std::shared_ptr<CallLog> log_ = std::make_shared<CallLog>();
  TempFile file_;
};

TEST_F(Density, ReadsAreSievedFromItsShareOn) {
  IndependentOptions options;
  options.read_density_percent = 50;
  EXPECT_EQ(calls(IoKind::kRead, options).at(0).extents.size(), 1U);
  options.read_density_percent = 51;
  EXPECT_EQ(calls(IoKind::kRead, options).at(0).extents.size(), 500U);
  options.read = Sieving::kEnable;
  EXPECT_EQ(calls(IoKind::kRead, options).at(0).extents.size(), 1U);
}

TEST_F(Density, WritesAreSievedOnDemandFromItsShareOn) {
  IndependentOptions options;
  EXPECT_EQ(calls(IoKind::kWrite, options).at(0).extents.size(), 500U);
  options.write = Sieving::kEnable;
  EXPECT_EQ(calls(IoKind::kWrite, options).at(0).kind, StorageCall::Kind::kRead);
  options.write_density_percent = 50;
  EXPECT_EQ(calls(IoKind::kWrite, options).at(0).kind, StorageCall::Kind::kRead);
  options.write_density_percent = 51;
  EXPECT_EQ(calls(IoKind::kWrite, options).at(0).extents.size(), 500U);
}

// What is not sieved for its density still keeps out of the way of those who sieve.
TEST_F(Density, ThinWritesLockWhereOthersSieve) {
  std::mutex locks;
  IndependentOptions options;
  options.write = Sieving::kEnable;
  options.write_density_percent = 100;
  options.locks = &locks;
  EXPECT_EQ(calls(IoKind::kWrite, options).at(0).kind, StorageCall::Kind::kLock);
}

TEST_F(Density, OnlyContiguousMovesOnePieceACall) {
  IndependentOptions options;
  options.only_contiguous = true;
  options.read = Sieving::kEnable;
  options.write = Sieving::kEnable;
  for (const IoKind kind : {IoKind::kRead, IoKind::kWrite}) {
    const auto made = calls(kind, options);
    EXPECT_EQ(made.size(), 500U);
    EXPECT_EQ(made.back().extents.size(), 1U);
    EXPECT_EQ(made.back().extents.at(0), (Extent{998, 999}));
  }
}

}  // namespace
}  // namespace longshore
