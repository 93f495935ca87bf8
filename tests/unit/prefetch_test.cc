// The arithmetic of access ranges, and what prefetching asks of storage in which order.
#include "independent/prefetch.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

#include "independent/access_ranges.h"
#include "independent/transfer.h"
#include "storage/recording.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = StorageCall::Kind;

std::vector<AccessRange> all_ranges(const Pattern& file, int64_t block_bytes) {
  std::vector<AccessRange> all;
  AccessRanges ranges(file, block_bytes);
  for (AccessRange range; ranges.next(range);) {
    all.push_back(range);
  }
  return all;
}

// The worked example of access_ranges.h: the piece [95,130) lies in two blocks, block 2 has none.
TEST(AccessRanges, OneHullPerBlock) {
  const std::vector<Piece> pieces{{10, 10}, {40, 10}, {95, 35}, {330, 10}};
  EXPECT_THAT(all_ranges(Pattern::of_pieces(pieces), 100),
              ElementsAre(AccessRange{{10, 100}, {0, 25}}, AccessRange{{100, 130}, {25, 55}},
                          AccessRange{{330, 340}, {55, 65}}));
}

TEST(AccessRanges, NothingTouchedNothingYielded) {
  EXPECT_THAT(all_ranges(Pattern(), 100), IsEmpty());
}

// A vector of 10^9 pieces: only the blocks that are asked for cost anything.
TEST(AccessRanges, DoesNotWalkThePieces) {
  const Pattern file = Pattern::repeat(1'000'000'000, 16, Pattern::run(4));
  AccessRanges ranges(file, int64_t{1} << 33);
  AccessRange range;
  ASSERT_TRUE(ranges.next(range));
  EXPECT_EQ(range.bytes, (Extent{0, (int64_t{1} << 33) - 12}));
  EXPECT_EQ(range.positions, (Extent{0, int64_t{1} << 31}));
}

// Byte by byte: the hull of block b is the least and the greatest offset within it.
RC_GTEST_PROP(AccessRangesProperty, AreTheHullsOfTheBytesInEachBlock, ()) {
  const auto run = *rc::gen::inRange<int64_t>(1, 12);
  const auto stride = run + *rc::gen::inRange<int64_t>(0, 40);
  const auto count = *rc::gen::inRange<int64_t>(0, 20);
  const auto block = *rc::gen::inRange<int64_t>(1, 90);
  const Pattern file =
      Pattern::repeat(count, stride, Pattern::run(run)).shifted(*rc::gen::inRange<int64_t>(0, 100));
  std::vector<AccessRange> expected;
  for (int64_t p = 0; p < file.size(); ++p) {
    const int64_t at = file.offset_at(p);
    if (expected.empty() || expected.back().bytes.begin / block != at / block) {
      expected.push_back({{at, at + 1}, {p, p + 1}});
    }
    expected.back().bytes.end = at + 1;
    expected.back().positions.end = p + 1;
  }
  RC_ASSERT(all_ranges(file, block) == expected);
}

// What is cached is what the test says.
class Medium final : public ForwardingStorage {
 public:
  Medium(std::unique_ptr<Storage> inner, bool warm)
      : ForwardingStorage(std::move(inner)), warm_(warm) {}
  [[nodiscard]] bool cached(int64_t) override { return warm_; }

 private:
  bool warm_;
};

class Prefetch : public testing::Test {
 protected:
  Prefetch() : dir_(testing_support::temp_parent()) { reopen(false); }
  ~Prefetch() override { EXPECT_TRUE(storage_->close()); }

  void reopen(bool warm) {
    if (storage_ != nullptr) {
      EXPECT_TRUE(storage_->close());
    }
    auto plain = open_storage(dir_.file("data"), testing_support::read_write(), "posix");
    ASSERT_TRUE(plain);
    EXPECT_TRUE((*plain)->write_at(0, testing_support::filled(1000, 7)).ok());
    storage_ =
        std::make_unique<RecordingStorage>(std::make_unique<Medium>(std::move(*plain), warm), log_);
  }

  // Pieces of 4 bytes at 0, 50, 100, ...: two in each block of 100.
  Outcome read(int64_t pieces, const IndependentOptions& options) {
    memory_.assign(static_cast<size_t>(4 * pieces), std::byte{0});
    Access access;
    access.view = TiledPattern(0, 50, Pattern::run(4));
    access.last = 4 * pieces;
    access.memory = Pattern::run(access.last);
    access.base = memory_.data();
    log_->clear();
    return run_independent(*storage_, access, options);
  }

  // The calls in a word: "A" and "R" with the block for announced and released, "r" with the block
  // of its first byte for a read.
  std::vector<std::string> story() const {
    std::vector<std::string> words;
    for (const auto& call : log_->calls()) {
      const auto block = std::to_string(call.extents.at(0).begin / 100);
      words.push_back((call.kind == Kind::kWillNeed   ? "A"
                       : call.kind == Kind::kDoneWith ? "R"
                                                      : "r") +
                      block);
    }
    return words;
  }

  static IndependentOptions options(int64_t max_ranges) {
    IndependentOptions all;
    all.read = Sieving::kDisable;
    all.prefetch = {max_ranges, 100};
    return all;
  }

  testing_support::ScratchDir dir_;
  std::shared_ptr<CallLog> log_ = std::make_shared<CallLog>();
  std::unique_ptr<Storage> storage_;
  std::vector<std::byte> memory_;
};

// The worked example of prefetch.h.
TEST_F(Prefetch, OneRangeIsReadWhileTheNextIsFetched) {
  EXPECT_EQ(read(8, options(1)).bytes, 32);
  EXPECT_THAT(story(),
              ElementsAre("A0", "A1", "r0", "R0", "A2", "r1", "R1", "A3", "r2", "R2", "r3", "R3"));
  EXPECT_EQ(memory_, testing_support::filled(32, 7));
}

// max_acc = 2: 2 x 2 announced, 2 read at once, and so on; the fifth is left over.
TEST_F(Prefetch, AtMostTwiceTheNumberIsAnnounced) {
  EXPECT_EQ(read(10, options(2)).bytes, 40);
  EXPECT_THAT(story(), ElementsAre("A0", "A1", "A2", "A3", "r0", "R0", "R1", "A4", "r2", "R2", "R3",
                                   "r4", "R4"));
}

TEST_F(Prefetch, AnnouncesTheHullWithinABlock) {
  EXPECT_TRUE(read(4, options(1)).ok());
  EXPECT_THAT(log_->calls().at(0).extents, ElementsAre(Extent{0, 54}));
  EXPECT_THAT(log_->calls().at(1).extents, ElementsAre(Extent{100, 154}));
}

TEST_F(Prefetch, SievedReadsAnnounceToo) {
  IndependentOptions sieved = options(1);
  sieved.read = Sieving::kEnable;
  EXPECT_EQ(read(4, sieved).bytes, 16);
  EXPECT_THAT(story(), ElementsAre("A0", "A1", "r0", "R0", "r1", "R1"));
  EXPECT_THAT(log_->calls().at(2).extents, ElementsAre(Extent{0, 54}));
}

TEST_F(Prefetch, ReleasesWhatItAnnouncedWhenTheFileEnds) {
  EXPECT_EQ(read(30, options(1)).bytes, 80);  // 1000 bytes: blocks 0 to 9
  EXPECT_EQ(log_->count(Kind::kWillNeed), log_->count(Kind::kDoneWith));
  EXPECT_LE(log_->count(Kind::kWillNeed), 12U);
}

TEST_F(Prefetch, ZeroIsOff) {
  EXPECT_TRUE(read(8, options(0)).ok());
  EXPECT_THAT(story(), ElementsAre("r0"));
}

TEST_F(Prefetch, OneBlockIsNotWorthAWord) {
  EXPECT_TRUE(read(2, options(1)).ok());
  EXPECT_THAT(story(), ElementsAre("r0"));
}

TEST_F(Prefetch, AutomaticAnnouncesWhatIsNotInMemory) {
  EXPECT_TRUE(read(8, options(PrefetchTerms::kAutomatic)).ok());
  EXPECT_EQ(log_->count(Kind::kWillNeed), 4U);
  reopen(true);
  EXPECT_TRUE(read(8, options(PrefetchTerms::kAutomatic)).ok());
  EXPECT_THAT(story(), ElementsAre("r0"));
}

TEST(PrefetchBlock, IsAStripeOrWhatAPlainFileSystemMovesWell) {
  EXPECT_EQ(prefetch_block_bytes(plain_layout(4096, 0, 0), 4096), 256 << 10);
  EXPECT_EQ(prefetch_block_bytes(plain_layout(1 << 20, 0, 0), 1 << 20), 1 << 20);
  EXPECT_EQ(prefetch_block_bytes(plain_layout(4096, 65536, 4), 4096), 65536);
  EXPECT_EQ(prefetch_block_bytes(plain_layout(4096, 512, 4), 4096), 4096);
}

}  // namespace
}  // namespace longshore
