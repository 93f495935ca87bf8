// The cores of nodes whose ranks are bound in one way or another.
#include "comm/cores.h"

#include <gtest/gtest.h>

#include <vector>

namespace longshore {
namespace {

const NodeMap kThreeAndOne{{0, 0, 0, 1}, {0, 3}};

TEST(Cores, RanksThatAreNotBoundShareThem) {
  const std::vector<CoreSet> cores{{8, 1}, {8, 1}, {8, 1}, {8, 1}};
  EXPECT_EQ(fewest_cores(kThreeAndOne, cores), 8);
}

TEST(Cores, BoundRanksHaveTheirOwn) {
  const std::vector<CoreSet> cores{{1, 1}, {1, 2}, {1, 3}, {4, 4}};
  EXPECT_EQ(fewest_cores(kThreeAndOne, cores), 3);
}

TEST(Cores, TheNodeWithTheFewestCounts) {
  const std::vector<CoreSet> cores{{8, 1}, {8, 1}, {8, 1}, {2, 2}};
  EXPECT_EQ(fewest_cores(kThreeAndOne, cores), 2);
}

TEST(Cores, ThisProcessHasSome) { EXPECT_GE(cores_of_process().count, 1); }

}  // namespace
}  // namespace longshore
