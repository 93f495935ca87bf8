#include "collective/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace longshore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Coverage, OverlapAndHoleAreNotAFullWindow) {
  // 6 + 6 bytes in a window of 12, but [2,8) twice covers less than its sum.
  Coverage coverage;
  coverage.reset({100, 112});
  coverage.mark({100, 106});
  coverage.mark({102, 108});
  EXPECT_THAT(coverage.runs(), ElementsAre(Extent{100, 108}));
}

TEST(Coverage, ResetForgets) {
  Coverage coverage;
  coverage.reset({0, 200});
  coverage.mark({0, 200});
  EXPECT_THAT(coverage.runs(), ElementsAre(Extent{0, 200}));
  coverage.reset({0, 200});
  EXPECT_THAT(coverage.runs(), IsEmpty());
}

RC_GTEST_PROP(CoverageProperty, SameAsAByteArray, ()) {
  const auto begin = *rc::gen::inRange<int64_t>(0, 100);
  const auto length = *rc::gen::inRange<int64_t>(1, 400);
  Coverage coverage;
  coverage.reset({begin, begin + length});
  std::vector<bool> marked(static_cast<size_t>(length), false);
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto from = *rc::gen::inRange<int64_t>(0, length);
    const auto to = *rc::gen::inRange<int64_t>(from, length + 1);
    coverage.mark({begin + from, begin + to});
    std::fill(marked.begin() + from, marked.begin() + to, true);
  }
  std::vector<bool> found(static_cast<size_t>(length), false);
  int64_t last = -1;
  for (const auto& run : coverage.runs()) {
    RC_ASSERT(run.begin > last);  // maximal: never adjoining
    RC_ASSERT(!run.empty());
    std::fill(found.begin() + (run.begin - begin), found.begin() + (run.end - begin), true);
    last = run.end;
  }
  RC_ASSERT(found == marked);
}

}  // namespace
}  // namespace longshore
