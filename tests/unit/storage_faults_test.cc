// The plan's text form, and what a faulty and a recording storage do.
#include <gmock/gmock.h>

#include <cerrno>

#include "storage/fault_plan.h"
#include "storage/faulty.h"
#include "storage/recording.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Bytes;
using testing_support::contents;
using testing_support::filled;
using testing_support::read_write;
using testing_support::ScratchDir;

TEST(FaultPlan, ParsesEverySetting) {
  const auto plan = parse_fault_plan(
      "write:after=3:errno=ENOSPC:rank=1,read:count=2:keep=100:offset=7:errno=0,"
      "sync:delay_ms=20,write:flip=5:path=out.nc,close,any:errno=5");
  ASSERT_TRUE(plan) << plan.error().detail;
  ASSERT_EQ(plan->rules.size(), 6U);
  const FaultRule& full = plan->rules[0];
  EXPECT_EQ(full.op, FaultOp::kWrite);
  EXPECT_EQ(full.after, 3);
  EXPECT_EQ(full.sys_errno, ENOSPC);
  EXPECT_EQ(full.rank, 1);
  EXPECT_FALSE(full.count);
  const FaultRule& brief = plan->rules[1];
  EXPECT_EQ(brief.op, FaultOp::kRead);
  EXPECT_EQ(brief.count, 2);
  EXPECT_EQ(brief.keep_bytes, 100);
  EXPECT_EQ(brief.from_offset, 7);
  EXPECT_EQ(brief.sys_errno, 0);
  EXPECT_EQ(plan->rules[2].delay_ms, 20);
  EXPECT_EQ(plan->rules[2].sys_errno, 0);
  EXPECT_EQ(plan->rules[3].flip_byte, 5);
  EXPECT_EQ(plan->rules[3].path_part, "out.nc");
  EXPECT_EQ(plan->rules[4].op, FaultOp::kClose);
  EXPECT_EQ(plan->rules[4].sys_errno, EIO);
  EXPECT_EQ(plan->rules[5].sys_errno, 5);
  EXPECT_TRUE(parse_fault_plan("")->rules.empty());
}

TEST(FaultPlan, NamesWhatIsWrong) {
  for (const char* bad :
       {"wrte", "write:after=x", "write:after=-1", "write:errno=EWHAT", "write:after",
        "write:color=red", "write:keep=99999999999999999999", "write:rank=3000000000",
        "write:path=", "write,,read", "write::after=1"}) {
    const auto plan = parse_fault_plan(bad);
    ASSERT_FALSE(plan) << bad;
    EXPECT_EQ(plan.error().code, ErrorClass::kInvalidArgument) << bad;
  }
  EXPECT_THAT(parse_fault_plan("write:after=x").error().detail, HasSubstr("after=x"));
}

TEST(FaultPlan, SelectsByRankAndPath) {
  const FaultPlan plan = *parse_fault_plan("write:rank=1,read:path=.nc,sync");
  EXPECT_EQ(plan.select(1, "/d/a.nc").rules.size(), 3U);
  EXPECT_EQ(plan.select(0, "/d/a.nc").rules.size(), 2U);
  EXPECT_EQ(plan.select(0, "/d/a.h5").rules.size(), 1U);
}

class Faulty : public testing::Test {
 protected:
  std::unique_ptr<Storage> make(const char* text) {
    return std::make_unique<FaultyStorage>(std::move(*open_storage(path_, read_write(), "posix")),
                                           *parse_fault_plan(text), clock_);
  }

  ScratchDir dir_{testing_support::temp_parent()};
  std::string path_ = dir_.file("data");
  ManualClock clock_;
};

TEST_F(Faulty, FailsTheCallsItNames) {
  auto storage = make("write:after=2:count=1:errno=ENOSPC");
  const Bytes data = filled(4, 1);
  EXPECT_TRUE(storage->write_at(0, data).ok());
  EXPECT_TRUE(storage->write_at(4, data).ok());
  const Outcome outcome = storage->write_at(8, data);
  EXPECT_EQ(outcome.error.code, ErrorClass::kNoSpace);
  EXPECT_EQ(outcome.bytes, 0);
  EXPECT_THAT(outcome.error.detail, HasSubstr("injected fault in write"));
  EXPECT_TRUE(storage->write_at(12, data).ok());
  Bytes back(4);
  EXPECT_TRUE(storage->read_at(0, back).ok());
  EXPECT_EQ(storage->backend(), "faulty(posix)");
}

// Pieces [0,4) and [6,10) with the limit at 8: six bytes are moved, in the background too.
TEST_F(Faulty, NoByteBehindTheOffsetIsWritten) {
  auto storage = make("write:offset=8:errno=EFBIG");
  Bytes data = filled(8, 1);
  const std::vector<IoPiece> pieces = {{0, data.data(), 4}, {6, data.data() + 4, 4}};
  for (const bool background : {false, true}) {
    const Outcome outcome = background ? storage->start(IoKind::kWrite, pieces)->wait()
                                       : storage->transfer(IoKind::kWrite, pieces);
    EXPECT_EQ(outcome.error.sys_errno, EFBIG);
    EXPECT_EQ(outcome.bytes, 6);
  }
  EXPECT_EQ(contents(path_).size(), 8U);
  EXPECT_TRUE(storage->write_at(0, data).ok());
}

TEST_F(Faulty, KeepMovesAPart) {
  auto storage = make("write:keep=3:errno=EDQUOT,read:keep=2:errno=0");
  const Bytes data = filled(8, 1);
  const Outcome written = storage->write_at(0, data);
  EXPECT_EQ(written.error.code, ErrorClass::kQuota);
  EXPECT_EQ(written.bytes, 3);
  EXPECT_TRUE(storage->write_at(0, std::span(data).first(3)).ok());
  Bytes back(3);
  const Outcome read = storage->read_at(0, back);
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(read.bytes, 2);
  EXPECT_EQ(storage->read_at(100, back).bytes, 0);
}

TEST_F(Faulty, FlipsOneBit) {
  auto storage = make("write:flip=5:count=1,read:flip=0:after=1");
  Bytes data = filled(8, 4);
  const std::vector<IoPiece> pieces = {{0, data.data(), 4}, {10, data.data() + 4, 4}};
  EXPECT_EQ(storage->transfer(IoKind::kWrite, pieces).bytes, 8);
  EXPECT_EQ(data, filled(8, 4));
  EXPECT_EQ(contents(path_)[11], std::byte{5});
  Bytes back(2);
  (void)storage->read_at(12, back);
  EXPECT_EQ(back[0], std::byte{4});
  (void)storage->read_at(12, back);
  EXPECT_EQ(back[0], std::byte{5});
  EXPECT_EQ(back[1], std::byte{4});
}

TEST_F(Faulty, DelaysPassOnTheClock) {
  auto storage = make("write:delay_ms=20");
  Bytes data = filled(1, 1);
  EXPECT_TRUE(storage->write_at(0, data).ok());
  EXPECT_EQ(clock_.now_ns(), 20'000'000);
  const IoPiece piece{0, data.data(), 1};
  auto pending = storage->start(IoKind::kWrite, {&piece, 1});
  EXPECT_EQ(clock_.now_ns(), 20'000'000);
  clock_.advance_ns(15'000'000);
  EXPECT_TRUE(pending->wait().ok());
  EXPECT_EQ(clock_.now_ns(), 40'000'000);
}

TEST_F(Faulty, OtherOperations) {
  auto storage = make("any:errno=EIO,any:delay_ms=1");
  EXPECT_FALSE(storage->size());
  EXPECT_FALSE(storage->resize(5));
  EXPECT_FALSE(storage->allocate(5));
  EXPECT_FALSE(storage->sync());
  EXPECT_FALSE(storage->lock({0, 1}, true));
  EXPECT_EQ(contents(path_).size(), 0U);
  EXPECT_EQ(clock_.now_ns(), 5'000'000);
  const Status closed = storage->close();
  EXPECT_EQ(closed.error().code, ErrorClass::kIo);
}

TEST_F(Faulty, InjectWrapsOnlyWhereThereAreRules) {
  const auto inject = [&](const char* text) {
    return inject_faults(std::move(*open_storage(path_, read_write(), "posix")),
                         *parse_fault_plan(text), clock_);
  };
  EXPECT_EQ((*inject(""))->backend(), "posix");
  EXPECT_EQ((*inject("write"))->backend(), "faulty(posix)");
  const auto refused = inject("open:errno=EACCES");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorClass::kAccess);
}

TEST(Recording, KeepsCallsInOrder) {
  const ScratchDir dir(testing_support::temp_parent());
  auto log = std::make_shared<CallLog>();
  RecordingStorage storage(std::move(*open_storage(dir.file("data"), read_write(), "posix")), log);
  Bytes data = filled(8, 1);
  const std::vector<IoPiece> pieces = {{0, data.data(), 4}, {6, data.data() + 4, 4}};
  (void)storage.transfer(IoKind::kWrite, pieces);
  (void)storage.start(IoKind::kRead, pieces)->wait();
  EXPECT_TRUE(storage.resize(3));
  EXPECT_TRUE(storage.lock({1, 2}, true));
  storage.unlock({1, 2});
  EXPECT_TRUE(storage.size() && storage.allocate(9) && storage.sync() && storage.close());
  const auto calls = log->calls();
  ASSERT_EQ(calls.size(), 9U);
  EXPECT_EQ(calls[0].kind, StorageCall::Kind::kWrite);
  EXPECT_FALSE(calls[0].background);
  EXPECT_THAT(calls[0].extents, ElementsAre(Extent{0, 4}, Extent{6, 10}));
  EXPECT_EQ(calls[1].kind, StorageCall::Kind::kRead);
  EXPECT_TRUE(calls[1].background);
  EXPECT_EQ(calls[2].size_bytes, 3);
  EXPECT_THAT(calls[3].extents, ElementsAre(Extent{1, 2}));
  EXPECT_EQ(calls[6].size_bytes, 9);
  EXPECT_EQ(log->count(StorageCall::Kind::kClose), 1U);
  EXPECT_EQ(storage.backend(), "recording(posix)");
  log->clear();
  EXPECT_TRUE(log->calls().empty());
}

}  // namespace
}  // namespace longshore
