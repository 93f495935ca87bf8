#include "collective/trays.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(TrayQuota, IsAnAggregatorsBufferAtMost) {
  EXPECT_EQ(tray_quota(2, 2, 2 * kMiB), 2 * kMiB);
  EXPECT_EQ(tray_quota(1, 1, 700), 700);
}

// 16 MiB of tray over 8 aggregators.
TEST(TrayQuota, SharesATrayAmongAggregators) { EXPECT_EQ(tray_quota(8, 4, 16 * kMiB), 2 * kMiB); }

// 64 ranks with two slots each have 2 MiB of the host's 256 MiB for a slot: over 256 aggregators 8
// KiB each.
TEST(TrayQuota, KeepsAHostWithinItsMemory) { EXPECT_EQ(tray_quota(256, 64, 2 * kMiB), 8192); }

TEST(TrayQuota, IsNeverLessThanAPage) { EXPECT_EQ(tray_quota(100'000, 64, 2 * kMiB), 4096); }

}  // namespace
}  // namespace longshore
