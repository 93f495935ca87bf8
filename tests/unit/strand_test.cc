#include "agent/strand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace longshore {
namespace {

TEST(Strand, RunsInOrder) {
  Strand strand;
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) {
    strand.post([&seen, i] { seen.push_back(i); });
  }
  strand.drain();
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(seen[static_cast<size_t>(i)], i);
  }
}

// Twenty strands wait for each other in a ring: with fewer threads than strands this never ends.
TEST(Strand, AWaitingStrandKeepsNoOtherFromRunning) {
  constexpr size_t kStrands = 20;
  std::vector<Strand> strands(kStrands);
  std::vector<std::promise<void>> turns(kStrands + 1);
  for (size_t i = 0; i < kStrands; ++i) {
    strands[i].post([&turns, i] {
      turns[i + 1].get_future().wait();
      turns[i].set_value();
    });
  }
  turns[kStrands].set_value();
  for (auto& strand : strands) {
    strand.drain();
  }
}

TEST(Strand, DrainOfAnIdleStrandReturnsAtOnce) {
  Strand strand;
  strand.drain();
}

}  // namespace
}  // namespace longshore
