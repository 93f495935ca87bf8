#include "collective/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <set>

#include "random_stripes.h"

namespace longshore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PartitionTerms terms(PartitionKind kind, int aggregators, int64_t stripe, int64_t window) {
  PartitionTerms result;
  result.kind = kind;
  result.aggregators = aggregators;
  result.stripe_bytes = stripe;
  result.window_bytes = window;
  return result;
}

Partition cut(Extent range, const PartitionTerms& how) {
  auto partition = Partition::make(range, how);
  EXPECT_TRUE(partition);
  return *partition;
}

TEST(PartitionEven, FirstOnesTakeTheRest) {
  // 10 bytes for 3: 4 + 3 + 3.
  const auto partition = cut({0, 10}, terms(PartitionKind::kEven, 3, 1, 100));
  EXPECT_EQ(partition.domain(0), (Extent{0, 4}));
  EXPECT_EQ(partition.domain(1), (Extent{4, 7}));
  EXPECT_EQ(partition.domain(2), (Extent{7, 10}));
}

// [6, 22) over 4-byte stripes touches stripes 1..5; two aggregators own {1,2,3} and {4,5}.
TEST(PartitionAligned, CutsOnStripesAndClipsToRange) {
  const auto partition = cut({6, 22}, terms(PartitionKind::kAligned, 2, 4, 100));
  EXPECT_EQ(partition.domain(0), (Extent{6, 16}));
  EXPECT_EQ(partition.domain(1), (Extent{16, 22}));
}

TEST(PartitionAligned, TrailingDomainsMayBeEmpty) {
  // One stripe, three aggregators.
  const auto partition = cut({1, 3}, terms(PartitionKind::kAligned, 3, 4, 100));
  EXPECT_EQ(partition.domain(0), (Extent{1, 3}));
  EXPECT_TRUE(partition.domain(1).empty());
  EXPECT_THAT(partition.sections(2, 0), IsEmpty());
}

// Windows of 4 over domains [0,7) and [7,13): two cycles each.
TEST(Partition, CyclesWorkThroughTheDomain) {
  const auto partition = cut({0, 13}, terms(PartitionKind::kEven, 2, 1, 4));
  EXPECT_EQ(partition.cycles(), 2);
  EXPECT_THAT(partition.sections(0, 1), ElementsAre(Section{{4, 7}, 0}));
  EXPECT_THAT(partition.sections(1, 0), ElementsAre(Section{{7, 11}, 0}));
}

// Stripes of 4, two aggregators, buffers of 8: aggregator 1 has stripes 1 and 3 in the first cycle.
TEST(PartitionCyclic, StripesGoRoundRobin) {
  const auto partition = cut({2, 30}, terms(PartitionKind::kCyclic, 2, 4, 8));
  EXPECT_THAT(partition.sections(0, 0), ElementsAre(Section{{2, 4}, 0}, Section{{8, 12}, 2}));
  EXPECT_THAT(partition.sections(1, 0), ElementsAre(Section{{4, 8}, 0}, Section{{12, 16}, 4}));
  EXPECT_THAT(partition.sections(1, 1), ElementsAre(Section{{20, 24}, 0}, Section{{28, 30}, 4}));
}

// The header's example: two aggregators, four targets, k = 2.
TEST(PartitionOneToK, AggregatorsKeepToTheirTargets) {
  auto how = terms(PartitionKind::kOneToK, 2, 10, 40);
  how.targets = 4;
  how.targets_per_aggregator = 2;
  const auto partition = cut({0, 80}, how);
  EXPECT_THAT(partition.sections(0, 0), ElementsAre(Section{{0, 10}, 0}, Section{{10, 20}, 10},
                                                    Section{{40, 50}, 20}, Section{{50, 60}, 30}));
}

TEST(PartitionOneToK, KIsRaisedUntilEveryTargetIsServed) {
  auto how = terms(PartitionKind::kOneToK, 2, 10, 40);
  how.targets = 5;
  EXPECT_EQ(cut({0, 100}, how).targets_served(), 3);
}

std::shared_ptr<const StripeMap> stripes(std::vector<LayoutPart> parts) {
  return std::make_shared<const StripeMap>(*StripeMap::make(std::move(parts)));
}

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// The header's example: of four stripes side by side three lie on target 1.
TEST(PartitionOneToK, GroupsStripesByTheirDevice) {
  auto how = terms(PartitionKind::kOneToK, 2, 1, 40);
  how.stripes = stripes({{{0, kEnd}, 10, 4, 1, {0, 1, 1, 1}}});
  const auto partition = cut({0, 80}, how);
  EXPECT_THAT(partition.sections(0, 0), ElementsAre(Section{{0, 10}, 0}, Section{{40, 50}, 10}));
  EXPECT_THAT(partition.sections(1, 0), ElementsAre(Section{{10, 20}, 0}, Section{{20, 30}, 10},
                                                    Section{{30, 40}, 20}, Section{{50, 60}, 30}));
  EXPECT_THAT(partition.sections(1, 1), ElementsAre(Section{{60, 70}, 0}, Section{{70, 80}, 10}));
}

// Three aggregators, the stripes of 0 and 1 on one target: two of them take turns there.
TEST(PartitionOneToK, ThoseWhoShareATargetTakeTurns) {
  auto how = terms(PartitionKind::kOneToK, 3, 1, 100);
  how.stripes = stripes({{{0, kEnd}, 10, 3, 1, {0, 0, 1}}});
  const auto partition = cut({0, 60}, how);
  EXPECT_THAT(partition.sections(0, 0), ElementsAre(Section{{0, 10}, 0}, Section{{30, 40}, 10}));
  EXPECT_THAT(partition.sections(1, 0), ElementsAre(Section{{20, 30}, 0}, Section{{50, 60}, 10}));
  EXPECT_THAT(partition.sections(2, 0), ElementsAre(Section{{10, 20}, 0}, Section{{40, 50}, 10}));
}

// [0, 8) in stripes of 2, the rest in stripes of 10. 38 bytes for two: byte 19 is cut down to 10.
TEST(PartitionAligned, CutsOnTheStripesOfEachPart) {
  auto how = terms(PartitionKind::kAligned, 2, 1, 100);
  how.stripes = stripes({{{0, 8}, 2, 1, 1, {}}, {{8, kEnd}, 10, 1, 1, {}}});
  const auto partition = cut({0, 38}, how);
  EXPECT_EQ(partition.domain(0), (Extent{0, 10}));
  EXPECT_EQ(partition.domain(1), (Extent{10, 38}));
}

// A stripe of 100 in a buffer of 40: chunks of 40, 40 and 20.
TEST(PartitionCyclic, LargeStripesAreCutInChunks) {
  const auto partition = cut({0, 200}, terms(PartitionKind::kCyclic, 2, 100, 40));
  EXPECT_EQ(partition.cycles(), 3);
  EXPECT_THAT(partition.sections(1, 0), ElementsAre(Section{{100, 140}, 0}));
  EXPECT_THAT(partition.sections(1, 2), ElementsAre(Section{{180, 200}, 0}));
}

TEST(Partition, RejectsBadArguments) {
  EXPECT_EQ(Partition::make({0, 8}, terms(PartitionKind::kEven, 0, 1, 1)).error().code,
            ErrorClass::kInvalidArgument);
  EXPECT_EQ(Partition::make({0, 8}, terms(PartitionKind::kAligned, 1, 0, 1)).error().code,
            ErrorClass::kInvalidArgument);
  EXPECT_EQ(Partition::make({0, 8}, terms(PartitionKind::kCyclic, 1, 1, 0)).error().code,
            ErrorClass::kInvalidArgument);
}

struct Drawn {
  Extent range;
  PartitionTerms how;
};

Drawn draw(PartitionKind kind) {
  Drawn drawn;
  drawn.range.begin = *rc::gen::inRange<int64_t>(0, 1000);
  drawn.range.end = drawn.range.begin + *rc::gen::inRange<int64_t>(0, 3000);
  drawn.how = terms(kind, *rc::gen::inRange(1, 12), *rc::gen::inRange<int64_t>(1, 400),
                    *rc::gen::inRange<int64_t>(16, 900));
  drawn.how.targets = *rc::gen::inRange(1, 9);
  drawn.how.targets_per_aggregator = *rc::gen::inRange(1, 9);
  return drawn;
}

constexpr auto kKinds = {PartitionKind::kEven, PartitionKind::kAligned, PartitionKind::kCyclic,
                         PartitionKind::kOneToK};

// The owner of each byte of the range; checks buffers and order on the way.
std::map<int64_t, int> owners(const Partition& partition, const Drawn& drawn) {
  std::map<int64_t, int> owner;
  for (int64_t cycle = 0; cycle < partition.cycles(); ++cycle) {
    for (int aggregator = 0; aggregator < partition.aggregators(); ++aggregator) {
      int64_t used = 0;
      int64_t reached = -1;
      for (const auto& section : partition.sections(aggregator, cycle)) {
        RC_ASSERT(section.buffer_offset == used);
        RC_ASSERT(section.extent.begin > reached);
        used += section.extent.length();
        reached = section.extent.end - 1;
        for (int64_t at = section.extent.begin; at < section.extent.end; ++at) {
          RC_ASSERT(owner.emplace(at, aggregator).second);
          RC_ASSERT(drawn.range.contains(at));
        }
      }
      RC_ASSERT(used <= drawn.how.window_bytes);
      RC_ASSERT(used <= partition.buffer_bytes());
    }
  }
  return owner;
}

RC_GTEST_PROP(PartitionProperty, CoversExactlyWithinTheBuffers, ()) {
  for (const auto kind : kKinds) {
    const Drawn drawn = draw(kind);
    const auto partition = cut(drawn.range, drawn.how);
    RC_ASSERT(static_cast<int64_t>(owners(partition, drawn).size()) == drawn.range.length());
  }
}

RC_GTEST_PROP(PartitionProperty, NoStripeHasTwoOwners, ()) {
  for (const auto kind :
       {PartitionKind::kAligned, PartitionKind::kCyclic, PartitionKind::kOneToK}) {
    const Drawn drawn = draw(kind);
    std::map<int64_t, int> of_stripe;
    for (const auto& [at, owner] : owners(cut(drawn.range, drawn.how), drawn)) {
      const auto [place, fresh] = of_stripe.emplace(at / drawn.how.stripe_bytes, owner);
      RC_ASSERT(fresh || place->second == owner);
    }
  }
}

Drawn draw_on_devices(PartitionKind kind, const std::vector<LayoutPart>& parts) {
  Drawn drawn = draw(kind);
  drawn.how.stripes = stripes(parts);
  return drawn;
}

// Against a model that looks stripe by stripe: every byte has one owner, a stripe belongs to one
// aggregator, and under one_to_k none speaks to more than k devices.
RC_GTEST_PROP(PartitionProperty, DeviceTablesAreKept, ()) {
  const auto parts = testing_support::draw_parts();
  for (const auto kind :
       {PartitionKind::kAligned, PartitionKind::kCyclic, PartitionKind::kOneToK}) {
    const Drawn drawn = draw_on_devices(kind, parts);
    const auto partition = cut(drawn.range, drawn.how);
    const auto owner_of = owners(partition, drawn);
    RC_ASSERT(static_cast<int64_t>(owner_of.size()) == drawn.range.length());
    std::map<int64_t, int> of_stripe;
    std::map<int, std::set<int>> devices_of;
    for (const auto& [at, owner] : owner_of) {
      const auto stripe = testing_support::naive_stripe(parts, at);
      const auto [place, fresh] = of_stripe.emplace(stripe.extent.begin, owner);
      RC_ASSERT(fresh || place->second == owner);
      devices_of[owner].insert(stripe.target);
      RC_ASSERT(kind != PartitionKind::kCyclic || owner == stripe.number % drawn.how.aggregators);
    }
    for (const auto& [owner, devices] : devices_of) {
      RC_ASSERT(kind != PartitionKind::kOneToK ||
                static_cast<int>(devices.size()) <= partition.targets_served());
    }
  }
}

// Those who share a device differ by at most one of its stripes, in each part of the file.
RC_GTEST_PROP(PartitionProperty, ADevicesStripesAreSharedFairly, ()) {
  const auto parts = testing_support::draw_parts();
  const Drawn drawn = draw_on_devices(PartitionKind::kOneToK, parts);
  std::map<std::pair<size_t, int>, std::map<int, std::set<int64_t>>> shares;
  for (const auto& [at, owner] : owners(cut(drawn.range, drawn.how), drawn)) {
    const auto stripe = testing_support::naive_stripe(parts, at);
    shares[{stripe.part, stripe.target}][owner].insert(stripe.extent.begin);
  }
  for (const auto& [device, by_owner] : shares) {
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (const auto& [owner, stripes] : by_owner) {
      least = std::min(least, stripes.size());
      most = std::max(most, stripes.size());
    }
    RC_ASSERT(most - least <= 1);
  }
}

// No aggregator speaks to more than k targets, and those who share a target differ by at most one
// stripe of it.
RC_GTEST_PROP(PartitionProperty, OneToKKeepsToKTargetsAndIsBalanced, ()) {
  const Drawn drawn = draw(PartitionKind::kOneToK);
  const auto partition = cut(drawn.range, drawn.how);
  std::map<int, std::set<int64_t>> targets_of;
  std::map<int64_t, std::map<int, std::set<int64_t>>> stripes_of;  // target, aggregator
  for (const auto& [at, owner] : owners(partition, drawn)) {
    const int64_t stripe = at / drawn.how.stripe_bytes;
    targets_of[owner].insert(stripe % drawn.how.targets);
    stripes_of[stripe % drawn.how.targets][owner].insert(stripe);
  }
  for (const auto& [owner, targets] : targets_of) {
    RC_ASSERT(static_cast<int>(targets.size()) <= partition.targets_served());
  }
  for (const auto& [target, by_owner] : stripes_of) {
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (const auto& [owner, stripes] : by_owner) {
      least = std::min(least, stripes.size());
      most = std::max(most, stripes.size());
    }
    RC_ASSERT(most - least <= 1);
  }
}

}  // namespace
}  // namespace longshore
