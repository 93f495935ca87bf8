#include "advise/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

// Two ranks whose hulls are [0, 11) and [10, 20).
Summary interleaved() {
  Summary summary;
  summary.exchanging = 2;
  summary.range = {0, 20};
  summary.bytes = summary.hull_bytes = 21;
  return summary;
}

Strategy decide(IoKind kind, const Summary& summary, const Layout& layout,
                const Preferences& wish) {
  const NodeMap nodes{{0, 0, 0}, {0}};
  const std::vector<int> aggregators{0};
  return choose_strategy(kind, summary, {nodes, layout, aggregators}, wish);
}

TEST(ChooseStrategy, NonInterleavedRanksGoAlone) {
  Summary summary = interleaved();
  summary.bytes = summary.hull_bytes = 20;
  EXPECT_FALSE(decide(IoKind::kWrite, summary, {}, {}).two_phase);
}

// Six ranks side by side in [0, 600), on two hosts, with stripes of 600 bytes.
TEST(ChooseStrategy, RanksOfSeveralHostsThatReadOneStripeAggregate) {
  Summary summary;
  summary.exchanging = 6;
  summary.range = {0, 600};
  summary.bytes = summary.hull_bytes = 600;
  const std::vector<int> aggregators{0, 4};
  const auto two_phase = [&](IoKind kind, const NodeMap& nodes, const Layout& layout) {
    return choose_strategy(kind, summary, {nodes, layout, aggregators}, {}).two_phase;
  };
  const Layout striped = plain_layout(100, 600, 4);
  EXPECT_TRUE(two_phase(IoKind::kRead, two_nodes(), striped));
  EXPECT_FALSE(two_phase(IoKind::kWrite, two_nodes(), striped));
  EXPECT_FALSE(two_phase(IoKind::kRead, {{0, 0, 0, 0, 0, 0}, {0}}, striped));
  EXPECT_FALSE(two_phase(IoKind::kRead, two_nodes(), {}));
  summary.bytes = summary.hull_bytes = 5;  // far apart
  EXPECT_FALSE(two_phase(IoKind::kRead, two_nodes(), striped));
  summary.range = {0, 601};
  summary.bytes = summary.hull_bytes = 601;
  EXPECT_FALSE(two_phase(IoKind::kRead, two_nodes(), striped));
}

TEST(ChooseStrategy, InterleavedRanksAggregate) {
  const Summary summary = interleaved();
  EXPECT_TRUE(decide(IoKind::kWrite, summary, {}, {}).two_phase);
}

TEST(ChooseStrategy, HintsDecideForTheirDirectionOnly) {
  const Summary summary = interleaved();
  Preferences wish;
  wish.collective_write = Choice::kDisable;
  EXPECT_FALSE(decide(IoKind::kWrite, summary, {}, wish).two_phase);
  EXPECT_TRUE(decide(IoKind::kRead, summary, {}, wish).two_phase);
}

TEST(ChooseStrategy, AnOverlappingViewIsNeverServedByAggregators) {
  Summary summary = interleaved();
  summary.someone_cannot_be_served = true;
  Preferences wish;
  wish.collective_read = Choice::kEnable;
  EXPECT_FALSE(decide(IoKind::kRead, summary, {}, wish).two_phase);
}

TEST(ChooseStrategy, StripedFilesAreCutBetweenStripes) {
  const Summary summary = interleaved();
  const Layout striped = plain_layout(4096, 1 << 20, 4);
  const auto strategy = decide(IoKind::kWrite, summary, striped, {});
  EXPECT_EQ(strategy.partition.kind, PartitionKind::kAligned);
  EXPECT_EQ(strategy.partition.stripe_bytes, 1 << 20);
}

TEST(ChooseStrategy, TheRealStripesArePassedOn) {
  const auto layout =
      layout_on_devices(FileSystem::kLustre,
                        {{{{0, std::numeric_limits<int64_t>::max()}, 1 << 20, 2, 1, {}}, {4, 4}}});
  ASSERT_TRUE(layout);
  const auto strategy = decide(IoKind::kWrite, interleaved(), *layout, {});
  EXPECT_EQ(strategy.partition.kind, PartitionKind::kAligned);
  EXPECT_EQ(strategy.partition.targets, 1);
  EXPECT_EQ(strategy.partition.stripes, layout->map);
}

// One byte in a hundred: gathering them would move buffers that are nearly empty.
TEST(ChooseStrategy, SparseBytesAreLeftToTheirRanks) {
  Summary summary;
  summary.exchanging = 2;
  summary.range = {0, 100000};
  summary.hull_bytes = 190000;
  summary.bytes = 1000;
  EXPECT_FALSE(decide(IoKind::kWrite, summary, {}, {}).two_phase);
  Preferences wish;
  wish.sparse = Choice::kDisable;
  EXPECT_TRUE(decide(IoKind::kWrite, summary, {}, wish).two_phase);
}

// One byte in sixty: reads of several hosts wait for a server piece by piece, so they are joined.
TEST(ChooseStrategy, DistantReadsAreSparseLater) {
  Summary summary;
  summary.exchanging = 6;
  summary.range = {0, 60000};
  summary.hull_bytes = 300000;
  summary.bytes = 1000;
  const std::vector<int> aggregators{0, 4};
  const Layout striped = plain_layout(100, 600, 4);
  const auto two_phase = [&](IoKind kind, const NodeMap& nodes, const Layout& layout) {
    return choose_strategy(kind, summary, {nodes, layout, aggregators}, {}).two_phase;
  };
  EXPECT_TRUE(two_phase(IoKind::kRead, two_nodes(), striped));
  EXPECT_FALSE(two_phase(IoKind::kWrite, two_nodes(), striped));
  EXPECT_FALSE(two_phase(IoKind::kRead, {{0, 0, 0, 0, 0, 0}, {0}}, striped));
  EXPECT_FALSE(two_phase(IoKind::kRead, two_nodes(), {}));
  summary.bytes = 900;
  EXPECT_FALSE(two_phase(IoKind::kRead, two_nodes(), striped));
}

TEST(ChooseStrategy, ExchangeAndPipelineFollowTheirHints) {
  const Summary summary = interleaved();
  Preferences wish;
  wish.exchange = ExchangeChoice::kShmRmaLock;
  wish.pipeline = PipelineChoice::kComm;
  wish.partition = PartitionChoice::kCyclic;
  const auto strategy = decide(IoKind::kWrite, summary, {}, wish);
  EXPECT_EQ(strategy.near, ExchangeKind::kShm);
  EXPECT_EQ(strategy.far, ExchangeKind::kRmaLock);
  EXPECT_EQ(strategy.pipeline, PipelineKind::kComm);
  EXPECT_EQ(strategy.partition.kind, PartitionKind::kCyclic);
}

TEST(ChooseStrategy, HostsWithSeveralRanksGatherSmallMessages) {
  const std::vector<int> aggregators{0, 1};
  Summary summary = interleaved();
  const auto far = [&](const NodeMap& nodes, ExchangeChoice wish) {
    Preferences preferences;
    preferences.exchange = wish;
    const Layout layout;
    const auto strategy =
        choose_strategy(IoKind::kWrite, summary, {nodes, layout, aggregators}, preferences);
    EXPECT_EQ(strategy.near, ExchangeKind::kShm);
    return strategy.far;
  };
  const NodeMap alone{{0, 1, 2}, {0, 1, 2}};
  const NodeMap one_host{{0, 0, 0}, {0}};
  EXPECT_EQ(far(two_nodes(), ExchangeChoice::kAutomatic), ExchangeKind::kGathered);
  EXPECT_EQ(far(alone, ExchangeChoice::kAutomatic), ExchangeKind::kTwoSided);
  EXPECT_EQ(far(one_host, ExchangeChoice::kAutomatic), ExchangeKind::kTwoSided);
  EXPECT_EQ(far(two_nodes(), ExchangeChoice::kShm), ExchangeKind::kTwoSided);
  EXPECT_EQ(far(alone, ExchangeChoice::kShmGathered), ExchangeKind::kGathered);
  summary.range = {0, 64 << 20};
  summary.hull_bytes = 2 * summary.range.length();
  summary.bytes = summary.range.length();
  EXPECT_EQ(far(two_nodes(), ExchangeChoice::kAutomatic), ExchangeKind::kTwoSided);
  EXPECT_EQ(far(two_nodes(), ExchangeChoice::kShmGathered), ExchangeKind::kGathered);
}

Access large_pieces(int64_t piece_bytes, int64_t stride) {
  Access access;
  access.kind = IoKind::kWrite;
  access.view = TiledPattern(0, stride, Pattern::run(piece_bytes));
  access.last = 4 * piece_bytes;
  access.memory = Pattern::run(access.last);
  return access;
}

bool goes_straight(const Access& access, const NodeMap& nodes, const Layout& layout) {
  const std::vector<int> aggregators{0};
  return needs_no_help(access, {nodes, layout, aggregators}, {});
}

TEST(NeedsNoHelp, LargePiecesOnAPlainFile) {
  EXPECT_TRUE(goes_straight(large_pieces(1 << 20, 1 << 21), two_nodes(), {}));
  EXPECT_FALSE(goes_straight(large_pieces(1 << 10, 1 << 21), two_nodes(), {}));
}

TEST(NeedsNoHelp, SmallerOnesInTheCacheOfTheOnlyHost) {
  const NodeMap one_host{{0, 0}, {0}};
  EXPECT_TRUE(goes_straight(large_pieces(8 << 10, 16 << 10), one_host, {}));
  EXPECT_FALSE(goes_straight(large_pieces(8 << 10, 16 << 10), two_nodes(), {}));
  EXPECT_FALSE(goes_straight(large_pieces(4 << 10, 8 << 10), one_host, {}));
}

TEST(NeedsNoHelp, AOnlyPieceHoweverSmall) {
  const NodeMap one_host{{0, 0}, {0}};
  EXPECT_TRUE(goes_straight(large_pieces(512, 512), one_host, {}));
  EXPECT_FALSE(goes_straight(large_pieces(512, 512), two_nodes(), {}));
}

TEST(NeedsNoHelp, OnlyWholeStripesOfAStripedFile) {
  const Layout striped = plain_layout(4096, 1 << 20, 4);
  EXPECT_TRUE(goes_straight(large_pieces(1 << 20, 1 << 20), two_nodes(), striped));
  EXPECT_FALSE(goes_straight(large_pieces(1000000, 1000000), two_nodes(), striped));
}

}  // namespace
}  // namespace longshore
