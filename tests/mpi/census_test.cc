// Both ways to take a census must lead to the same decisions and to the same partners.
#include "collective/census.h"

#include <gmock/gmock.h>
#include <mpi.h>

#include <memory>

#include "with_communicator.h"

namespace longshore {
namespace {

constexpr int64_t kBlock = 100;

class CensusTest : public WithCommunicator<testing::TestWithParam<CensusKind>> {
 protected:
  [[nodiscard]] Result<Census> take(const Share& own) {
    return take_census(*comm_, own, GetParam());
  }
};

// Rank r has [100 r, 100 r + 150): each but the last reaches into the next one's block.
Share overlapping_share(int rank) {
  Share share;
  share.first = 0;
  share.last = 150;
  share.hull = {rank * kBlock, rank * kBlock + 150};
  return share;
}

TEST_P(CensusTest, SumsUpAllShares) {
  const int64_t ranks = comm_->size();
  const auto census = take(overlapping_share(comm_->rank()));
  ASSERT_TRUE(census);
  EXPECT_EQ(census->summary.exchanging, ranks);
  EXPECT_EQ(census->summary.bytes, 150 * ranks);
  EXPECT_EQ(census->summary.hull_bytes, 150 * ranks);
  EXPECT_EQ(census->summary.range, (Extent{0, ranks * kBlock + 50}));
  EXPECT_EQ(census->summary.touched, census->summary.range);
  EXPECT_EQ(census->summary.worst, ErrorClass::kOk);
  EXPECT_FALSE(census->summary.someone_buffers);
}

TEST_P(CensusTest, EveryRankLearnsOfAnErrorAndOfBufferedBytes) {
  Share own = overlapping_share(comm_->rank());
  if (comm_->rank() == comm_->size() - 1) {
    own = Share{};
    own.error = ErrorClass::kNoSpace;
    own.buffers = true;
  }
  const auto census = take(own);
  ASSERT_TRUE(census);
  EXPECT_EQ(census->summary.worst, ErrorClass::kNoSpace);
  EXPECT_TRUE(census->summary.someone_buffers);
  EXPECT_EQ(census->summary.exchanging, comm_->size() - 1);
}

TEST_P(CensusTest, EveryRankLearnsWhetherAllAreDone) {
  Share own = overlapping_share(comm_->rank());
  own.standing = Standing::kNeedsNoHelp;
  own.done = true;
  auto census = take(own);
  ASSERT_TRUE(census);
  EXPECT_FALSE(census->summary.someone_unfinished);
  own.done = comm_->rank() != comm_->size() - 1;
  census = take(own);
  ASSERT_TRUE(census);
  EXPECT_TRUE(census->summary.someone_unfinished);
  EXPECT_EQ(census->summary.exchanging, 0);
}

// Aggregator i owns [100 i, 100 i + 100), the last one 50 more: it hears of rank i and of i - 1.
TEST_P(CensusTest, AggregatorsHearOfThoseWhoComeToThem) {
  const int rank = comm_->rank();
  const auto census = take(overlapping_share(rank));
  ASSERT_TRUE(census);
  PartitionTerms terms;
  terms.kind = PartitionKind::kAligned;
  terms.stripe_bytes = kBlock;
  terms.window_bytes = kBlock;
  terms.aggregators = comm_->size();
  const auto partition = Partition::make(census->summary.range, terms);
  ASSERT_TRUE(partition);
  std::vector<int> aggregators(static_cast<size_t>(comm_->size()));
  for (size_t i = 0; i < aggregators.size(); ++i) {
    aggregators[i] = static_cast<int>(i);
  }
  const auto found = find_contributors(*comm_, *census, *partition, aggregators, rank);
  ASSERT_TRUE(found);
  std::vector<int> expected;
  for (int other = 0; other < comm_->size(); ++other) {
    if (!intersect(overlapping_share(other).hull, partition->domain(rank)).empty()) {
      expected.push_back(other);
    }
  }
  std::vector<int> heard;
  for (const auto& each : *found) {
    heard.push_back(each.rank);
    EXPECT_EQ(each.share.hull, overlapping_share(each.rank).hull);
  }
  EXPECT_EQ(heard, expected);
}

TEST_P(CensusTest, WhoDoesNotAggregateHearsOfNobody) {
  const auto census = take(overlapping_share(comm_->rank()));
  ASSERT_TRUE(census);
  PartitionTerms terms;
  terms.window_bytes = kBlock;
  const auto partition = Partition::make(census->summary.range, terms);
  ASSERT_TRUE(partition);
  const int index = comm_->rank() == 0 ? 0 : -1;
  const auto found = find_contributors(*comm_, *census, *partition, {0}, index);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), index == 0 ? static_cast<size_t>(comm_->size()) : 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CensusTest,
                         testing::Values(CensusKind::kGathered, CensusKind::kReduced),
                         [](const auto& kind) {
                           return kind.param == CensusKind::kGathered ? "Gathered" : "Reduced";
                         });

}  // namespace
}  // namespace longshore
