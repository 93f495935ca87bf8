#include "lib/bench_wins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/bench_table.h"

namespace longshore::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A launch that wrote 100 MB at `write` MB/s and read them at 1000 MB/s.
RunRecord launch(const std::string& workload, const std::string& variant, double write,
                 MpiKind mpi = MpiKind::kOpenMpi) {
  RunRecord one;
  one.workload = workload;
  one.ranks = 2;
  one.dir = "shm";
  one.mpi = mpi;
  one.variant = variant;
  one.bytes = 100000000;
  one.write_seconds = 100 / write;
  one.read_seconds = 0.1;
  return one;
}

const ValueWins& find(const std::vector<ValueWins>& all, const std::string& key,
                      const std::string& value, MpiKind mpi = MpiKind::kOpenMpi) {
  for (const auto& one : all) {
    if (one.key == key && one.value == value && one.mpi == mpi && one.op == "write") {
      return one;
    }
  }
  static const ValueWins nothing;
  ADD_FAILURE() << "no " << key << "=" << value;
  return nothing;
}

// With b=x: a=1 has 100, a=2 200. With b=y: a=1 has 400, a=2 300. So each value of a wins once, and
// b=y wins both of its contests.
TEST(BenchWins, ContestsAreBetweenOneHintsValues) {
  const auto all = count_wins(summarize(
      {launch("tile", "longshore a=1 b=x", 100), launch("tile", "longshore a=1 b=y", 400),
       launch("tile", "longshore a=2 b=x", 200), launch("tile", "longshore a=2 b=y", 300)}));
  EXPECT_EQ(find(all, "a", "1").wins, 1);
  EXPECT_EQ(find(all, "a", "2").wins, 1);
  EXPECT_EQ(find(all, "a", "2").contests, 2);
  EXPECT_EQ(find(all, "b", "x").wins, 0);
  EXPECT_EQ(find(all, "b", "y").wins, 2);
}

// Medians 200 and 250, but the ranges [100, 300] and [240, 260] meet; in the other workload they
// do not.
TEST(BenchWins, AWinIsClearIfTheRangesAreApart) {
  const auto all = count_wins(
      summarize({launch("near", "longshore a=1", 100), launch("near", "longshore a=1", 300),
                 launch("near", "longshore a=2", 240), launch("near", "longshore a=2", 260),
                 launch("far", "longshore a=1", 100), launch("far", "longshore a=2", 240)}));
  EXPECT_EQ(find(all, "a", "2").wins, 2);
  EXPECT_EQ(find(all, "a", "2").clear, 1);
}

TEST(BenchWins, WhatDidNotEndLosesAndMpisAreApart) {
  auto late = launch("tile", "longshore a=1", 1);
  late.outcome = RunOutcome::kTimeout;
  const auto all = count_wins(summarize({late, launch("tile", "longshore a=2", 5),
                                         launch("tile", "longshore a=1", 9, MpiKind::kMpich),
                                         launch("tile", "longshore a=2", 5, MpiKind::kMpich)}));
  EXPECT_EQ(find(all, "a", "1").contests, 1);
  EXPECT_EQ(find(all, "a", "1").wins, 0);
  EXPECT_EQ(find(all, "a", "2").wins, 1);
  EXPECT_EQ(find(all, "a", "1", MpiKind::kMpich).wins, 1);
}

TEST(BenchWins, NothingWithoutASweepOrARival) {
  EXPECT_THAT(count_wins(summarize({launch("tile", "longshore", 1), launch("tile", "stock", 2)})),
              IsEmpty());
  EXPECT_EQ(find(count_wins(summarize({launch("tile", "longshore a=1", 1)})), "a", "1").contests,
            0);
}

TEST(BenchWins, TheReportHasThemAfterASweepOnly) {
  const auto swept =
      bench_report({launch("tile", "longshore a=1", 100), launch("tile", "longshore a=2", 240)});
  EXPECT_THAT(swept, HasSubstr("How often a value is the fastest"));
  EXPECT_THAT(swept, HasSubstr("    2                                       1 (1)"));
  EXPECT_THAT(swept, Not(HasSubstr("goal")));  // nothing to be compared with
  EXPECT_THAT(bench_report({launch("tile", "longshore", 100)}),
              Not(HasSubstr("How often a value is the fastest")));
}

}  // namespace
}  // namespace longshore::cli
