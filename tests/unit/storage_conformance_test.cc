// What every backend owes its callers, registered once per backend and medium. What needs a process
// of its own is in storage_process_test.cc.
#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <tuple>

#include "core/clock.h"
#include "storage/faulty.h"
#include "storage/recording.h"
#include "storage/storage.h"
#include "storage/zero_fill.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing_support::Bytes;
using testing_support::fake_ceph_library;
using testing_support::filled;
using testing_support::random_bytes;
using testing_support::read_write;
using testing_support::ScratchDir;
using testing_support::use_ceph_library;

// The medium "ceph" is the folder of a real CephFS that this variable names; the cephfs backend on
// any other goes through the stand-in for libcephfs.
constexpr const char* kRealCeph = "LONGSHORE_TEST_CEPH";

Result<std::unique_ptr<Storage>> open_kind(const std::string& kind, const std::string& path,
                                           const OpenOptions& options) {
  const std::string prefix = kind == "cephfs" ? "cephfs:" : "";
  auto inner = open_storage(prefix + path, options, kind == "io_uring" ? "io_uring" : "posix");
  if (!inner || kind == "posix" || kind == "io_uring" || kind == "cephfs") {
    return inner;
  }
  if (kind == "recording") {
    return std::make_unique<RecordingStorage>(std::move(*inner), std::make_shared<CallLog>());
  }
  return std::make_unique<FaultyStorage>(std::move(*inner), FaultPlan{}, SteadyClock::instance());
}

// Where a test's files are: a scratch folder, or names of their own in a folder of CephFS.
class Place {
 public:
  explicit Place(const std::string& medium) {
    if (medium != "ceph") {
      scratch_.emplace(medium);
    } else if (const char* folder = std::getenv(kRealCeph); folder != nullptr) {
      ceph_ = folder;
    }
  }
  [[nodiscard]] bool exists() const { return scratch_ || !ceph_.empty(); }
  [[nodiscard]] bool is_real_ceph() const { return !scratch_; }
  [[nodiscard]] std::string path() const { return scratch_ ? scratch_->path() : ceph_; }
  [[nodiscard]] std::string file(const std::string& leaf) const {
    return scratch_ ? scratch_->file(leaf)
                    : ceph_ + "/longshore_" + std::to_string(getpid()) + "_" + leaf;
  }

 private:
  std::optional<ScratchDir> scratch_;
  std::string ceph_;
};

class StorageConformance : public testing::TestWithParam<std::tuple<const char*, std::string>> {
 protected:
  StorageConformance() : dir_(std::get<1>(GetParam())), path_(dir_.file("data")) {}
  static void TearDownTestSuite() { use_ceph_library(""); }

  void SetUp() override {
    if (!dir_.exists()) {
      GTEST_SKIP() << kRealCeph << " does not name a folder of a CephFS";
    }
    if (std::get<0>(GetParam()) == std::string("cephfs")) {
      use_ceph_library(dir_.is_real_ceph() ? "" : fake_ceph_library("whole"));
    }
    auto opened = open(path_, read_write());
    ASSERT_TRUE(opened) << opened.error().detail;
    storage_ = std::move(*opened);
  }
  void TearDown() override {
    if (storage_ != nullptr) {
      EXPECT_TRUE(storage_->close());
    }
    if (storage_ != nullptr && dir_.is_real_ceph()) {
      EXPECT_TRUE(remove_file("cephfs:" + path_));
    }
  }

  // The whole file, read without the library where that can be.
  Bytes contents(const std::string& path) {
    if (!dir_.is_real_ceph()) {
      return testing_support::contents(path);
    }
    auto file = open(path, OpenOptions{});
    Bytes bytes(static_cast<size_t>(*(*file)->size()));
    EXPECT_EQ((*file)->read_at(0, bytes).bytes, static_cast<int64_t>(bytes.size()));
    EXPECT_TRUE((*file)->close());
    return bytes;
  }

  Result<std::unique_ptr<Storage>> open(const std::string& path, const OpenOptions& options) {
    return open_kind(std::get<0>(GetParam()), path, options);
  }

  Place dir_;
  std::string path_;
  std::unique_ptr<Storage> storage_;
};

TEST_P(StorageConformance, WritesAndReadsBack) {
  Bytes data = filled(1000, 7);
  const Outcome written = storage_->write_at(5, data);
  EXPECT_TRUE(written.ok()) << written.error.detail;
  EXPECT_EQ(written.bytes, 1000);
  Bytes back(1005);
  EXPECT_EQ(storage_->read_at(0, back).bytes, 1005);
  Bytes expected = filled(5, 0);
  expected.insert(expected.end(), data.begin(), data.end());
  EXPECT_EQ(back, expected);
  EXPECT_EQ(*storage_->size(), 1005);
}

// A file of 10 bytes: [8, 12) has two of them, [12, 14) none, and what follows is not looked at.
TEST_P(StorageConformance, ReadStopsAtEndOfFile) {
  (void)storage_->write_at(0, filled(10, 1));
  Bytes memory = filled(16, 9);
  const std::vector<IoPiece> across = {
      {0, memory.data(), 4}, {8, memory.data() + 4, 4}, {0, memory.data() + 8, 4}};
  Outcome outcome = storage_->transfer(IoKind::kRead, across);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.bytes, 6);
  const std::vector<IoPiece> beyond = {{12, memory.data(), 2}, {0, memory.data(), 4}};
  outcome = storage_->start(IoKind::kRead, beyond)->wait();
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.bytes, 0);
}

TEST_P(StorageConformance, EmptyTransfersAreLegal) {
  std::byte one{3};
  EXPECT_TRUE(storage_->transfer(IoKind::kWrite, {}).ok());
  const std::vector<IoPiece> none = {{5, nullptr, 0}, {1 << 20, nullptr, 0}};
  EXPECT_EQ(storage_->transfer(IoKind::kWrite, none).bytes, 0);
  EXPECT_EQ(storage_->start(IoKind::kRead, none)->wait().bytes, 0);
  EXPECT_TRUE(storage_->start(IoKind::kWrite, {})->wait().ok());
  EXPECT_EQ(*storage_->size(), 0);
  // Zero-length pieces do not break up what adjoins, nor end a read.
  const std::vector<IoPiece> mixed = {{9, nullptr, 0}, {0, &one, 1}, {7, nullptr, 0}};
  EXPECT_EQ(storage_->transfer(IoKind::kWrite, mixed).bytes, 1);
  EXPECT_EQ(storage_->transfer(IoKind::kRead, mixed).bytes, 1);
}

TEST_P(StorageConformance, ImpossibleOffsetFailsBehindAnIntactPrefix) {
  Bytes data = filled(8, 1);
  const std::vector<IoPiece> pieces = {
      {0, data.data(), 4}, {-1, data.data(), 4}, {8, data.data(), 4}};
  for (const IoKind kind : {IoKind::kWrite, IoKind::kRead}) {
    Outcome outcome = storage_->transfer(kind, pieces);
    EXPECT_EQ(outcome.error.code, ErrorClass::kInvalidArgument);
    EXPECT_EQ(outcome.bytes, 4);
    outcome = storage_->start(kind, pieces)->wait();
    EXPECT_EQ(outcome.error.code, ErrorClass::kInvalidArgument);
    EXPECT_EQ(outcome.bytes, 4);
  }
  EXPECT_FALSE(storage_->write_at(INT64_MAX - 2, data).ok());
  EXPECT_EQ(*storage_->size(), 4);
}

constexpr int64_t kSpace = 1 << 14;

std::vector<IoPiece> random_pieces(std::mt19937& random, Bytes& memory) {
  std::vector<IoPiece> pieces(random() % 300);
  size_t used = 0;
  int64_t offset = 0;
  for (IoPiece& piece : pieces) {
    piece.length = std::min<int64_t>(random() % 120, static_cast<int64_t>(memory.size() - used));
    offset = random() % 3 == 0 ? offset : static_cast<int64_t>(random()) % (kSpace - 120);
    offset = std::min(offset, kSpace - 120);
    piece.offset = offset;
    piece.memory = memory.data() + used;
    used += static_cast<size_t>(piece.length);
    offset += piece.length;
    used += random() % 2 == 0 && used < memory.size() ? 1 : 0;
  }
  return pieces;
}

// One byte array as the file: pieces in order, so that the later of two that overlap wins.
void reference_write(Bytes& file, const std::vector<IoPiece>& pieces) {
  for (const IoPiece& piece : pieces) {
    if (piece.length > 0) {
      file.resize(std::max(file.size(), static_cast<size_t>(piece.offset + piece.length)));
      std::copy_n(piece.memory, piece.length, file.begin() + piece.offset);
    }
  }
}

int64_t reference_read(const Bytes& file, std::vector<IoPiece>& pieces) {
  int64_t total = 0;
  for (IoPiece& piece : pieces) {
    const int64_t present =
        std::clamp<int64_t>(static_cast<int64_t>(file.size()) - piece.offset, 0, piece.length);
    std::copy_n(file.begin() + std::min<int64_t>(piece.offset, static_cast<int64_t>(file.size())),
                present, piece.memory);
    total += present;
    if (present < piece.length) {
      break;
    }
  }
  return total;
}

int64_t total(const std::vector<IoPiece>& pieces) {
  int64_t sum = 0;
  for (const IoPiece& piece : pieces) {
    sum += piece.length;
  }
  return sum;
}

TEST_P(StorageConformance, RandomWritesMatchAByteArray) {
  std::mt19937 random(1);
  Bytes file;
  for (int round = 0; round < 60; ++round) {
    Bytes memory = random_bytes(random, 40000);
    const auto pieces = random_pieces(random, memory);
    const Outcome outcome = round % 2 == 0 ? storage_->transfer(IoKind::kWrite, pieces)
                                           : storage_->start(IoKind::kWrite, pieces)->wait();
    ASSERT_TRUE(outcome.ok()) << outcome.error.detail;
    ASSERT_EQ(outcome.bytes, total(pieces));
    reference_write(file, pieces);
    ASSERT_EQ(contents(path_), file) << "round " << round;
  }
}

TEST_P(StorageConformance, RandomReadsMatchAByteArray) {
  std::mt19937 random(2);
  const Bytes file = random_bytes(random, kSpace);
  ASSERT_TRUE(storage_->write_at(0, file).ok());
  for (int round = 0; round < 60; ++round) {
    // From time to time the file is short of the pieces.
    const int64_t size = round % 3 == 0 ? static_cast<int64_t>(random() % kSpace) : kSpace;
    ASSERT_TRUE(storage_->resize(size));
    ASSERT_TRUE(storage_->write_at(0, std::span(file).first(static_cast<size_t>(size))).ok());
    Bytes memory(40000);
    auto pieces = random_pieces(random, memory);
    const Outcome outcome = round % 2 == 0 ? storage_->transfer(IoKind::kRead, pieces)
                                           : storage_->start(IoKind::kRead, pieces)->wait();
    ASSERT_TRUE(outcome.ok()) << outcome.error.detail;
    Bytes seen = memory;
    const Bytes present(file.begin(), file.begin() + size);
    const int64_t expected = reference_read(present, pieces);
    ASSERT_EQ(outcome.bytes, expected) << "round " << round;
    if (expected == total(pieces)) {
      ASSERT_EQ(seen, memory);
    }
  }
}

// Every second of 4,096 adjoining bytes comes from elsewhere in memory: more vectors than one call
// takes, and a start() with more runs than any queue is deep when they do not adjoin.
TEST_P(StorageConformance, ManyPieces) {
  std::mt19937 random(3);
  Bytes memory = random_bytes(random, 8192);
  for (const int64_t stride : {1, 3}) {
    std::vector<IoPiece> pieces;
    Bytes file;
    for (int64_t i = 0; i < 4096; ++i) {
      pieces.push_back({i * stride, memory.data() + 8191 - 2 * i, 1});
    }
    ASSERT_TRUE(storage_->resize(0));
    reference_write(file, pieces);
    EXPECT_EQ(storage_->transfer(IoKind::kWrite, pieces).bytes, 4096);
    EXPECT_EQ(contents(path_), file);
    ASSERT_TRUE(storage_->resize(0));
    EXPECT_EQ(storage_->start(IoKind::kWrite, pieces)->wait().bytes, 4096);
    EXPECT_EQ(contents(path_), file);
    const Bytes before = memory;
    std::fill(memory.begin(), memory.end(), std::byte{0});
    EXPECT_EQ(storage_->start(IoKind::kRead, pieces)->wait().bytes, 4096);
    Bytes again;
    reference_write(again, pieces);
    EXPECT_EQ(again, file);
    memory = before;
  }
}

TEST_P(StorageConformance, OffsetsBeyond32Bits) {
  const int64_t far = (int64_t{5} << 30) + 3;
  Bytes data = filled(10, 4);
  const std::vector<IoPiece> pieces = {{far, data.data(), 5}, {far + 100, data.data() + 5, 5}};
  EXPECT_EQ(storage_->transfer(IoKind::kWrite, pieces).bytes, 10);
  EXPECT_EQ(*storage_->size(), far + 105);
  Bytes back(5);
  EXPECT_EQ(storage_->read_at(far + 100, back).bytes, 5);
  EXPECT_EQ(back, filled(5, 4));
}

TEST_P(StorageConformance, ManyTransfersInFlight) {
  constexpr int64_t kChunk = 3000;
  std::vector<Bytes> data;
  std::vector<std::unique_ptr<PendingIo>> pending;
  for (int i = 0; i < 80; ++i) {
    data.push_back(filled(kChunk, i));
    const IoPiece piece{i * kChunk, data.back().data(), kChunk};
    pending.push_back(storage_->start(IoKind::kWrite, {&piece, 1}));
  }
  for (size_t i = 80; i-- > 40;) {
    EXPECT_EQ(pending[i]->wait().bytes, kChunk);
  }
  pending.clear();  // The rest is carried out as well, its outcome dropped.
  const Bytes file = contents(path_);
  ASSERT_EQ(file.size(), 80U * kChunk);
  for (size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(file[i * kChunk + 17], static_cast<std::byte>(i));
  }
}

TEST_P(StorageConformance, StartedByAThreadThatEnds) {
  std::mt19937 random(4);
  Bytes data = random_bytes(random, 1 << 20);
  std::unique_ptr<PendingIo> pending;
  std::thread([&] {
    const IoPiece piece{0, data.data(), static_cast<int64_t>(data.size())};
    pending = storage_->start(IoKind::kWrite, {&piece, 1});
  }).join();
  EXPECT_EQ(pending->wait().bytes, 1 << 20);
  EXPECT_EQ(contents(path_), data);
}

// Thread t owns the bytes with (offset / 64) % 6 == t and checks its own rounds.
TEST_P(StorageConformance, ManyThreads) {
  constexpr int kThreads = 6;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int round = 0; round < 25; ++round) {
        Bytes out = random_bytes(random, 64 * 50);
        Bytes in(out.size());
        std::vector<IoPiece> writes;
        std::vector<IoPiece> reads;
        for (int64_t i = 0; i < 50; ++i) {
          writes.push_back({(i * kThreads + t) * 64, out.data() + i * 64, 64});
          reads.push_back({(i * kThreads + t) * 64, in.data() + i * 64, 64});
        }
        const bool background = round % 2 == 1;
        EXPECT_EQ((background ? storage_->start(IoKind::kWrite, writes)->wait()
                              : storage_->transfer(IoKind::kWrite, writes))
                      .bytes,
                  3200);
        EXPECT_EQ((background ? storage_->start(IoKind::kRead, reads)->wait()
                              : storage_->transfer(IoKind::kRead, reads))
                      .bytes,
                  3200);
        EXPECT_EQ(in, out);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST_P(StorageConformance, Resize) {
  (void)storage_->write_at(0, filled(10, 1));
  EXPECT_TRUE(storage_->resize(4));
  EXPECT_TRUE(storage_->resize(6));
  EXPECT_EQ(contents(path_), (Bytes{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1},
                                    std::byte{0}, std::byte{0}}));
  EXPECT_EQ(storage_->resize(-1).error().code, ErrorClass::kInvalidArgument);
}

// As a file does: by zeros where the medium cannot reserve space.
Status allocate(Storage& storage, int64_t size_bytes) {
  const Status reserved = storage.allocate(size_bytes);
  const bool cannot = !reserved && reserved.error().code == ErrorClass::kUnsupportedOperation;
  return cannot ? append_zeros(storage, size_bytes) : reserved;
}

TEST_P(StorageConformance, AllocateExtendsAndKeepsWhatIsThere) {
  const Bytes data = filled(100, 5);
  (void)storage_->write_at(0, data);
  EXPECT_TRUE(allocate(*storage_, 0));
  EXPECT_TRUE(allocate(*storage_, 10));
  EXPECT_EQ(contents(path_), data);
  EXPECT_TRUE(allocate(*storage_, 5000));
  Bytes expected = data;
  expected.resize(5000);
  EXPECT_EQ(contents(path_), expected);
  EXPECT_EQ(storage_->allocate(-1).error().code, ErrorClass::kInvalidArgument);
}

TEST_P(StorageConformance, OpenErrors) {
  const OpenOptions plain;
  EXPECT_EQ(open(dir_.file("missing"), plain).error().code, ErrorClass::kNoSuchFile);
  EXPECT_EQ(open(dir_.path(), plain).error().code, ErrorClass::kBadFile);
  EXPECT_EQ(open(dir_.path(), read_write()).error().code, ErrorClass::kBadFile);
  EXPECT_EQ(open(path_ + "/below", plain).error().code, ErrorClass::kBadFile);
  OpenOptions exclusive = read_write();
  exclusive.exclusive = true;
  EXPECT_EQ(open(path_, exclusive).error().code, ErrorClass::kFileExists);
  OpenOptions neither;
  neither.read = false;
  EXPECT_EQ(open(path_, neither).error().code, ErrorClass::kAmode);
}

TEST_P(StorageConformance, OneWayFiles) {
  (void)storage_->write_at(0, filled(4, 1));
  OpenOptions write_only;
  write_only.read = false;
  write_only.write = true;
  Bytes memory = filled(4, 2);
  for (const OpenOptions& options : {OpenOptions{}, write_only}) {
    auto file = open(path_, options);
    ASSERT_TRUE(file);
    const Outcome written = (*file)->write_at(0, memory);
    EXPECT_EQ(written.ok(), options.write);
    EXPECT_EQ(written.bytes, options.write ? 4 : 0);
    EXPECT_EQ((*file)->read_at(0, memory).ok(), options.read);
    EXPECT_TRUE((*file)->lock({0, 4}, false));
    (*file)->unlock({0, 4});
    EXPECT_TRUE((*file)->close());
  }
}

TEST_P(StorageConformance, SyncLockAndBlocks) {
  EXPECT_TRUE(storage_->sync());
  EXPECT_TRUE(storage_->lock({0, 0}, true));
  EXPECT_TRUE(storage_->lock({0, 10}, true));
  EXPECT_TRUE(storage_->lock({5, INT64_MAX}, false));
  storage_->unlock({0, INT64_MAX});
  storage_->unlock({0, 0});
  EXPECT_GE(storage_->block_bytes(), 1);
}

std::string case_name(const testing::TestParamInfo<StorageConformance::ParamType>& info) {
  const std::string& medium = std::get<1>(info.param);
  const std::string local = medium == "/dev/shm" ? "_shm" : "_tmp";
  return std::get<0>(info.param) + (medium == "ceph" ? "_real_if_LONGSHORE_TEST_CEPH" : local);
}

INSTANTIATE_TEST_SUITE_P(
    Backends, StorageConformance,
    testing::Combine(testing::Values("posix", "io_uring", "faulty", "recording"),
                     testing::Values(testing_support::temp_parent(), std::string("/dev/shm"))),
    case_name);
INSTANTIATE_TEST_SUITE_P(Ceph, StorageConformance,
                         testing::Combine(testing::Values("cephfs"),
                                          testing::Values(testing_support::temp_parent(),
                                                          std::string("ceph"))),
                         case_name);

}  // namespace
}  // namespace longshore
