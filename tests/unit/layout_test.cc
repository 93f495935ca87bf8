#include "layout/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>

#include "file/layout_news.h"
#include "random_stripes.h"

namespace longshore {
namespace {

using ::testing::ElementsAre;
using testing_support::draw_parts;
using testing_support::naive_stripe;

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// The header's example: A B, A B, B B, B B, and again.
TEST(StripeMap, SetsOfRowsRepeat) {
  const auto map = StripeMap::make({{{0, kEnd}, 1, 2, 2, {0, 1, 1, 1}}});
  ASSERT_TRUE(map);
  std::vector<int> targets;
  for (int64_t offset = 0; offset < 10; ++offset) {
    targets.push_back(map->stripe_at(offset).target);
  }
  EXPECT_THAT(targets, ElementsAre(0, 1, 0, 1, 1, 1, 1, 1, 0, 1));
  EXPECT_EQ(map->stripe_at(5).turn, 3);
  EXPECT_EQ(map->stripe_at(9).turn, 6);
}

TEST(StripeMap, TheEndOfOffsetsIsNoTrap) {
  const Stripe last = StripeMap::regular(4096, 3).stripe_at(kEnd - 1);
  EXPECT_EQ(last.extent.end, kEnd);
  EXPECT_LT(last.extent.begin, kEnd);
}

TEST(StripeMap, RefusesWhatDoesNotFit) {
  const LayoutPart good{{0, kEnd}, 10, 2, 1, {0, 1}};
  EXPECT_TRUE(StripeMap::make({good}));
  EXPECT_FALSE(StripeMap::make({}));
  const auto refuses = [&](auto change) {
    LayoutPart part = good;
    change(part);
    return !StripeMap::make({part});
  };
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.stripe_bytes = 0; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.width = 0; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.width = 3; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.rows_per_set = 0; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.targets[0] = -1; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.extent.begin = 1; }));
  EXPECT_TRUE(refuses([](LayoutPart& p) { p.extent.end = 100; }));
}

// Each stripe has the target that a table looked up step by step gives, and turns count up by one.
RC_GTEST_PROP(StripeMapProperty, AgreesWithANaiveWalk, ()) {
  const auto parts = draw_parts();
  const auto map = StripeMap::make(parts);
  RC_ASSERT(map.has_value());
  std::map<std::pair<size_t, int>, int64_t> turns;  // part, target
  int64_t reached = 0;
  for (int64_t offset = 0; offset < 3000; ++offset) {
    const auto naive = naive_stripe(parts, offset);
    const Stripe stripe = map->stripe_at(offset);
    RC_ASSERT(stripe.extent == naive.extent);
    RC_ASSERT(stripe.target == naive.target);
    RC_ASSERT(stripe.number == naive.number);
    if (offset == stripe.extent.begin) {
      RC_ASSERT(offset == reached);
      reached = stripe.extent.end;
      // A part counts from the begin of the file: its first stripe of a target may have any turn.
      const auto [place, fresh] = turns.emplace(std::pair{naive.part, stripe.target}, stripe.turn);
      RC_ASSERT((fresh ? naive.part > 0 || stripe.turn == 0 : stripe.turn == place->second + 1));
      place->second = stripe.turn;
    }
  }
}

RC_GTEST_PROP(LayoutProperty, TravelsAsWords, ()) {
  Layout layout = plain_layout(4096, *rc::gen::inRange<int64_t>(0, 100), 3);
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<PartOnDevices> parts;
    for (auto& part : draw_parts()) {
      PartOnDevices each{part, {}};
      each.part.targets.clear();
      for (const int32_t target : part.targets) {
        each.devices.push_back(7 * target + 3);
      }
      parts.push_back(each);
    }
    layout = *layout_on_devices(FileSystem::kLustre, parts);
    layout.lock_bytes = 5;
  }
  const auto words = layout.encode();
  const auto same = Layout::decode(words);
  RC_ASSERT(same.has_value());
  RC_ASSERT(same->encode() == words);
  for (int64_t offset = 0; offset < 2000; offset += 7) {
    RC_ASSERT(same->device_of(offset) == layout.device_of(offset));
  }
  const auto length = *rc::gen::inRange<size_t>(0, words.size());
  RC_ASSERT(!Layout::decode(std::span(words).first(length)));
}

TEST(Layout, TargetsAreTheDifferentDevices) {
  const auto layout =
      layout_on_devices(FileSystem::kLustre, {{{{0, kEnd}, 10, 4, 1, {}}, {9, 4, 9, 30}}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->targets, 3);
  EXPECT_THAT(layout->devices, ElementsAre(4, 9, 30));
  EXPECT_EQ(layout->target_of(20), 1);
  EXPECT_EQ(layout->device_of(30), 30);
  EXPECT_EQ(layout->factor(), 4);
}

TEST(Layout, AnImageWithStrangeNumbersIsRefused) {
  auto words = Layout{}.encode();
  words[0] = 0;
  EXPECT_FALSE(Layout::decode(words));
  words = Layout{}.encode();
  words[5] = 1000;  // devices that do not follow
  EXPECT_FALSE(Layout::decode(words));
  words = Layout{}.encode();
  words.push_back(1);
  EXPECT_FALSE(Layout::decode(words));
}

TEST(LayoutNews, APlainLayoutNeedsNoMessageOfItsOwn) {
  EXPECT_LE(plain_layout(4096, 65536, 7).encode().size(), LayoutNews::kRoom);
}

HintMap asked() {
  return {{"striping_unit", "123"}, {"striping_factor", "9"}, {"start_iodevice", "4"}};
}

TEST(PutStriping, DoesNotClaimWhatAPlainFileHasNot) {
  HintMap info = asked();
  put_striping(plain_layout(4096, 123, 9), StripingOutcome::kNotSettable, info);
  EXPECT_EQ(info.count("striping_unit"), 0U);
  EXPECT_EQ(info.count("striping_factor"), 0U);
  EXPECT_EQ(info.count("start_iodevice"), 0U);
  EXPECT_EQ(info["longshore_file_system"], "plain");
  EXPECT_EQ(info["longshore_striping"], "not settable on this file system");
}

TEST(PutStriping, TellsWhatIsInEffect) {
  HintMap info = asked();
  const auto layout =
      layout_on_devices(FileSystem::kLustre, {{{{0, kEnd}, 65536, 2, 1, {}}, {6, 1}}});
  put_striping(*layout, StripingOutcome::kAdjusted, info);
  EXPECT_EQ(info["striping_unit"], "65536");
  EXPECT_EQ(info["striping_factor"], "2");
  EXPECT_EQ(info["start_iodevice"], "6");
  EXPECT_EQ(info["longshore_striping"], "adjusted by the file system");
}

}  // namespace
}  // namespace longshore
