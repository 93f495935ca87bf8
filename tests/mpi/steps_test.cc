// Steps of all ranks in which one of them does something for everyone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <vector>

#include "with_communicator.h"

namespace longshore {
namespace {

// Small values go over shared memory where there is some, large ones by messages.
class StepsTest : public WithCommunicator<testing::TestWithParam<size_t>> {};

TEST_P(StepsTest, OneRankActsWhenAllHaveComeAndAllLearnWhatItLeft) {
  constexpr int kSteps = 50;
  const int64_t ranks = comm_->size();
  std::array<int64_t, 1> acted{0};
  for (int64_t step = 0; step < kSteps; ++step) {
    if (step % ranks == comm_->rank()) {
      usleep(200);  // everyone is the last to come now and then
    }
    std::vector<int64_t> values(GetParam(), step * 100 + comm_->rank());
    const Status done = comm_->all_max_then(values, [&] {
      EXPECT_EQ(values, std::vector<int64_t>(GetParam(), step * 100 + ranks - 1));
      ++acted[0];
      values.back() = -step;
    });
    ASSERT_TRUE(done);
    EXPECT_EQ(values.back(), -step);
    EXPECT_EQ(values.front(), GetParam() == 1 ? -step : step * 100 + ranks - 1);
    // Steps of the other kind in between use the same memory.
    std::array<int64_t, 1> greatest{comm_->rank() + step};
    ASSERT_TRUE(comm_->all_max(greatest));
    EXPECT_EQ(greatest[0], ranks - 1 + step);
  }
  ASSERT_TRUE(comm_->all_sum(acted));
  EXPECT_EQ(acted[0], kSteps);
}

INSTANTIATE_TEST_SUITE_P(Values, StepsTest, testing::Values(1, 5, 32, 1000));

}  // namespace
}  // namespace longshore
