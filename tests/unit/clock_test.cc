#include "core/clock.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(ManualClock, StandsStillUntilMoved) {
  ManualClock clock(100);
  EXPECT_EQ(clock.now_ns(), 100);
  EXPECT_EQ(clock.now_ns(), 100);
  clock.advance_ns(5);
  EXPECT_EQ(clock.now_ns(), 105);
  clock.sleep_ns(10);
  EXPECT_EQ(clock.now_ns(), 115);
  clock.advance_ns(-50);
  EXPECT_EQ(clock.now_ns(), 115);
}

TEST(SteadyClock, NeverGoesBackAndSleepsLongEnough) {
  SteadyClock& clock = SteadyClock::instance();
  const int64_t begin_ns = clock.now_ns();
  clock.sleep_ns(-1);
  clock.sleep_ns(1000);
  EXPECT_GE(clock.now_ns(), begin_ns + 1000);
}

}  // namespace
}  // namespace longshore
