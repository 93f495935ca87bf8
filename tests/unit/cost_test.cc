#include "advise/cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "advise/advise.h"
#include "advise/paging.h"

namespace longshore {
namespace {

const NodeMap kOneHost{{0, 0, 0, 0}, {0}};
const NodeMap kTwoHosts{{0, 0, 1, 1}, {0, 2}};

// 4 ranks in turn, 1000 pieces of 1000 bytes each.
CallShape in_turn() {
  CallShape shape;
  shape.bytes_per_rank = 1'000'000;
  shape.pieces_per_rank = 1000;
  shape.hull_per_rank = 3'997'000;
  shape.range = {0, 4'000'000};
  return shape;
}

Profile round_numbers() {
  Profile profile;
  profile.local = {5, 1, 2500, 2500};
  return profile;
}

// The worked example of cost.h.
TEST(PredictAlone, AListPaysForPiecesAndBytes) {
  const Layout plain;
  const Terrain terrain{kOneHost, plain, 2, round_numbers()};
  const Cost cost = predict_alone(in_turn(), terrain, Way::kList, 0);
  EXPECT_NEAR(cost.calls_ms, 2.008, 0.001);  // 2 waves of 5 + 999 us
  EXPECT_NEAR(cost.bytes_ms, 1.6, 0.001);
  EXPECT_NEAR(cost.total_ms, 3.608, 0.001);
}

TEST(PredictAlone, SievedWritesMoveTheirHullsTwice) {
  const Layout plain;
  const Terrain terrain{kOneHost, plain, 2, round_numbers()};
  const Cost cost = predict_alone(in_turn(), terrain, Way::kSieve, 0);
  EXPECT_NEAR(cost.bytes_ms, 2 * 4 * 3.997 / 2.5, 0.001);
}

TEST(PredictAlone, PagesJoinSmallPieces) {
  const Layout plain;
  const Terrain terrain{kOneHost, plain, 2, round_numbers()};
  CallShape shape = in_turn();
  shape.bytes_per_rank = 64'000;  // 1000 pieces of 64
  shape.range = {0, 256'000};
  EXPECT_LT(predict_alone(shape, terrain, Way::kPages, 65536).total_ms,
            predict_alone(shape, terrain, Way::kList, 0).total_ms);
}

Strategy two_phases(const NodeMap& nodes, const Layout& layout, PipelineKind pipeline) {
  Strategy strategy;
  strategy.two_phase = true;
  strategy.aggregators = choose_aggregators(nodes, {}, 1);
  strategy.partition.window_bytes = 100'000;
  strategy.partition.stripe_bytes = layout.stripe_bytes;
  strategy.pipeline = pipeline;
  return strategy;
}

TEST(PredictTwoPhase, BeatsListsOnRemoteStorage) {
  const Layout striped = plain_layout(4096, 65536, 4);
  const Terrain terrain{kTwoHosts, striped, 2, {}};
  const auto strategy = two_phases(kTwoHosts, striped, PipelineKind::kWriteComm2);
  EXPECT_LT(predict_two_phase(in_turn(), terrain, strategy).total_ms,
            predict_alone(in_turn(), terrain, Way::kList, 0).total_ms);
}

TEST(PredictTwoPhase, OverlapSavesTimeWhereStorageIsRemoteOnly) {
  const Layout striped = plain_layout(4096, 65536, 4);
  const Layout plain;
  const auto total = [&](const NodeMap& nodes, const Layout& layout, PipelineKind pipeline) {
    return predict_two_phase(in_turn(), {nodes, layout, 2, {}}, two_phases(nodes, layout, pipeline))
        .total_ms;
  };
  EXPECT_LT(total(kTwoHosts, striped, PipelineKind::kWriteComm2),
            total(kTwoHosts, striped, PipelineKind::kNone));
  EXPECT_GT(total(kOneHost, plain, PipelineKind::kWriteComm2),
            total(kOneHost, plain, PipelineKind::kNone));
}

TEST(PredictTwoPhase, MessagesCostMoreThanSharedMemory) {
  const Layout plain;
  const Terrain terrain{kOneHost, plain, 2, {}};
  auto strategy = two_phases(kOneHost, plain, PipelineKind::kComm);
  const double shared = predict_two_phase(in_turn(), terrain, strategy).total_ms;
  strategy.near = ExchangeKind::kTwoSided;
  EXPECT_GT(predict_two_phase(in_turn(), terrain, strategy).total_ms, shared);
}

// With many ranks on a host the messages cost more than the copy that saves them.
TEST(PredictTwoPhase, GatheringSavesMessagesBetweenHosts) {
  NodeMap nodes{std::vector<int>(128, 0), {0, 64}};
  std::fill(nodes.node_of_rank.begin() + 64, nodes.node_of_rank.end(), 1);
  const Layout plain;
  CallShape shape = in_turn();
  shape.bytes_per_rank = 31'250;
  shape.pieces_per_rank = 32;
  const Terrain terrain{nodes, plain, 2, {}};
  auto strategy = two_phases(nodes, plain, PipelineKind::kNone);
  const double apart = predict_two_phase(shape, terrain, strategy).exchange_ms;
  strategy.far = ExchangeKind::kGathered;
  EXPECT_LT(predict_two_phase(shape, terrain, strategy).exchange_ms, apart);
}

TEST(ParseProfile, OverridesSomeValues) {
  const auto profile = parse_profile("# site\n\n copy_mb_s = 9000 # fast\nremote_call_us=12.5\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->copy_mb_s, 9000);
  EXPECT_EQ(profile->remote.call_us, 12.5);
  EXPECT_EQ(profile->local.call_us, Profile{}.local.call_us);
}

TEST(ParseProfile, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"copy = 1", "copy_mb_s", "copy_mb_s = 0", "copy_mb_s = -1",
                           "copy_mb_s = fast", "copy_mb_s = 1 2", "copy_mb_s = nan"}) {
    EXPECT_FALSE(parse_profile(text)) << text;
  }
  EXPECT_EQ(parse_profile("\ncopy = 1").error().detail, "line 2 of the profile: 'copy = 1'");
}

TEST(ParseProfile, ReadsBackWhatIsPrinted) {
  Profile profile;
  profile.network_mb_s = 123.5;
  std::string text;
  for (const auto& [key, value] : values_of(profile)) {
    text += key + "=" + std::to_string(value) + "\n";
  }
  EXPECT_TRUE(parse_profile(text) == profile);
}

TEST(Paging, SievedWritesDoWithoutUnlessPagesAreWished) {
  EXPECT_EQ(beside_sieving({}, true).kind, WriteBehindKind::kOff);
  EXPECT_EQ(beside_sieving({WriteBehindKind::kTwoStage}, true).kind, WriteBehindKind::kTwoStage);
  EXPECT_EQ(beside_sieving({}, false).kind, WriteBehindKind::kAutomatic);
}

TEST(Paging, FilesThatAreOnlyReadOverHostsHaveNoPages) {
  EXPECT_EQ(if_written({}, false, false).kind, WriteBehindKind::kOff);
  EXPECT_EQ(if_written({}, true, false).kind, WriteBehindKind::kAutomatic);
  EXPECT_EQ(if_written({}, false, true).kind, WriteBehindKind::kAutomatic);
  EXPECT_EQ(if_written({WriteBehindKind::kTwoStage}, false, false).kind,
            WriteBehindKind::kTwoStage);
}

TEST(Paging, SmallPiecesOnly) {
  Access access;
  access.kind = IoKind::kWrite;
  access.view = TiledPattern(0, 1, Pattern::run(1));
  access.last = 4095;
  EXPECT_TRUE(suits_pages(access, true, 65536));
  access.last = 4096;
  EXPECT_FALSE(suits_pages(access, true, 65536));
  EXPECT_TRUE(suits_pages(access, false, 65536));  // remote: below a page
  access.view = TiledPattern(0, 1024, Pattern::run(512));
  EXPECT_TRUE(suits_pages(access, true, 65536));
}

}  // namespace
}  // namespace longshore
