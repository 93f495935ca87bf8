#include "collective/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace longshore {
namespace {

using ::testing::ElementsAre;

TEST(PartitionEven, FirstOnesTakeTheRest) {
  // 10 bytes for 3: 4 + 3 + 3.
  auto domains = partition_even({0, 10}, 3);
  ASSERT_TRUE(domains);
  EXPECT_THAT(*domains, ElementsAre(Extent{0, 4}, Extent{4, 7}, Extent{7, 10}));
}

// [6, 22) over 4-byte stripes touches stripes 1..5; two aggregators own {1,2,3} and {4,5}.
TEST(PartitionAligned, CutsOnStripesAndClipsToRange) {
  auto domains = partition_aligned({6, 22}, 4, 2);
  ASSERT_TRUE(domains);
  EXPECT_THAT(*domains, ElementsAre(Extent{6, 16}, Extent{16, 22}));
}

TEST(PartitionAligned, TrailingDomainsMayBeEmpty) {
  // One stripe, three aggregators.
  auto domains = partition_aligned({1, 3}, 4, 3);
  ASSERT_TRUE(domains);
  EXPECT_EQ((*domains)[0], (Extent{1, 3}));
  EXPECT_TRUE((*domains)[1].empty());
  EXPECT_TRUE((*domains)[2].empty());
}

TEST(Partition, RejectsBadArguments) {
  EXPECT_EQ(partition_even({0, 8}, 0).error().code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(partition_aligned({0, 8}, 0, 1).error().code, ErrorClass::kInvalidArgument);
}

RC_GTEST_PROP(PartitionProperty, CoversExactlyAndSharesNoStripe, ()) {
  const auto begin = *rc::gen::inRange<int64_t>(0, 1000);
  const auto length = *rc::gen::inRange<int64_t>(0, 5000);
  const auto stripe = *rc::gen::inRange<int64_t>(1, 700);
  const int aggregators = *rc::gen::inRange(1, 12);
  const Extent range{begin, begin + length};
  for (const bool aligned : {false, true}) {
    const auto domains = aligned ? partition_aligned(range, stripe, aggregators)
                                 : partition_even(range, aggregators);
    RC_ASSERT(domains.has_value());
    RC_ASSERT(domains->size() == static_cast<size_t>(aggregators));
    int64_t at = begin;
    for (const auto& domain : *domains) {
      if (domain.empty()) {
        continue;
      }
      RC_ASSERT(domain.begin == at);
      RC_ASSERT(!aligned || at == begin || at % stripe == 0);
      at = domain.end;
    }
    RC_ASSERT(at == range.end);
  }
}

// Windows of 4 over domains [0,10) and [10,13): three cycles, the second aggregator idle in two.
TEST(Partition, WindowsWorkThroughTheDomain) {
  const Partition partition({{0, 10}, {10, 13}}, 4);
  EXPECT_EQ(partition.cycles(), 3);
  EXPECT_EQ(partition.window(0, 2), (Extent{8, 10}));
  EXPECT_EQ(partition.window(1, 0), (Extent{10, 13}));
  EXPECT_TRUE(partition.window(1, 1).empty());
}

}  // namespace
}  // namespace longshore
