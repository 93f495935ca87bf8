#include "advise/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longshore {
namespace {

using ::testing::ElementsAre;

// Two nodes: ranks 0..3 and 4..5.
NodeMap two_nodes() { return {{0, 0, 0, 0, 1, 1}, {0, 4}}; }

TEST(ChooseAggregators, OnePerCoreAndNodeWithoutAWish) {
  // Two cores a node: two of four ranks, spread, and both of the small node.
  EXPECT_THAT(choose_aggregators(two_nodes(), {}, 2), ElementsAre(0, 2, 4, 5));
}

TEST(ChooseAggregators, AWishIsDealtOverNodesInTurn) {
  Preferences wish;
  wish.aggregators = 3;
  EXPECT_THAT(choose_aggregators(two_nodes(), wish, 1), ElementsAre(0, 2, 4));
}

TEST(ChooseAggregators, MoreThanThereAreIsAll) {
  Preferences wish;
  wish.aggregators = 100;
  EXPECT_THAT(choose_aggregators(two_nodes(), wish, 1), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(ChooseAggregators, PerNodeLimitHolds) {
  Preferences wish;
  wish.aggregators_per_node = 1;
  EXPECT_THAT(choose_aggregators(two_nodes(), wish, 8), ElementsAre(0, 4));
}

Share share(int64_t begin, int64_t end) {
  Share result;
  result.last = end - begin;
  result.hull = {begin, end};
  return result;
}

TEST(ChooseStrategy, NonInterleavedRanksGoAlone) {
  const std::vector<Share> shares{share(10, 20), share(0, 10), Share{}};
  EXPECT_FALSE(choose_strategy(IoKind::kWrite, shares, {0}, {}, {}).two_phase);
}

TEST(ChooseStrategy, InterleavedRanksAggregate) {
  const std::vector<Share> shares{share(0, 11), share(10, 20)};
  EXPECT_TRUE(choose_strategy(IoKind::kWrite, shares, {0}, {}, {}).two_phase);
}

TEST(ChooseStrategy, HintsDecideForTheirDirectionOnly) {
  const std::vector<Share> shares{share(0, 11), share(10, 20)};
  Preferences wish;
  wish.collective_write = Choice::kDisable;
  EXPECT_FALSE(choose_strategy(IoKind::kWrite, shares, {0}, {}, wish).two_phase);
  EXPECT_TRUE(choose_strategy(IoKind::kRead, shares, {0}, {}, wish).two_phase);
}

TEST(ChooseStrategy, AnOverlappingViewIsNeverServedByAggregators) {
  std::vector<Share> shares{share(0, 11), share(10, 20)};
  shares[1].alone = 1;
  Preferences wish;
  wish.collective_read = Choice::kEnable;
  EXPECT_FALSE(choose_strategy(IoKind::kRead, shares, {0}, {}, wish).two_phase);
}

TEST(ChooseStrategy, StripedFilesAreCutBetweenStripes) {
  const std::vector<Share> shares{share(0, 11), share(10, 20)};
  const Layout striped = plain_layout(4096, 1 << 20, 4);
  const auto strategy = choose_strategy(IoKind::kWrite, shares, {0}, striped, {});
  EXPECT_EQ(strategy.partition, PartitionKind::kAligned);
  EXPECT_EQ(strategy.stripe_bytes, 1 << 20);
}

}  // namespace
}  // namespace longshore
