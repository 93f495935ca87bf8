#include "lib/bench_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/bench_plot.h"
#include "lib/bench_results.h"
#include "lib/bench_table.h"
#include "unit/cli_fake_bench.h"

namespace longshore::cli {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Not;

// A launch that wrote 100 MB at `write` MB/s and read them at twice that.
RunRecord record(const std::string& workload, int ranks, const std::string& variant, double write,
                 MpiKind mpi = MpiKind::kOpenMpi) {
  RunRecord one;
  one.workload = workload;
  one.ranks = ranks;
  one.dir = "shm";
  one.mpi = mpi;
  one.variant = variant;
  one.bytes = 100000000;
  one.write_seconds = 100 / write;
  one.read_seconds = 50 / write;
  return one;
}

RunRecord ended(RunRecord one, RunOutcome outcome) {
  one.outcome = outcome;
  return one;
}

TEST(BenchSummary, MediansRangesAndRatios) {
  const auto rows = summarize({record("tile", 2, "stock", 100), record("tile", 2, "longshore", 150),
                               record("tile", 2, "stock", 300), record("tile", 2, "longshore", 600),
                               record("tile", 2, "stock", 200), record("tile", 2, "limit", 500)});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op, "write");
  EXPECT_NEAR(rows[0].stock.median, 200, 1e-6);
  EXPECT_NEAR(rows[0].stock.max, 300, 1e-6);
  EXPECT_NEAR(rows[0].ours.median, 375, 1e-6);  // between the two
  EXPECT_NEAR(*ratio_of(rows[0].ours, rows[0].limit), 0.75, 1e-6);
  EXPECT_TRUE(overlap(rows[0].ours, rows[0].stock));
  EXPECT_NEAR(rows[1].stock.median, 400, 1e-6);
}

// 2 and 8 times stock: the geometric mean is 4.
TEST(BenchSummary, GroupsHaveGeometricMeansAndTheirLeast) {
  const auto rows = summarize({record("a", 2, "stock", 100), record("a", 2, "longshore", 200),
                               record("b", 2, "stock", 100), record("b", 2, "longshore", 800)});
  const auto groups = group_means(rows);
  ASSERT_EQ(groups.size(), 2U);  // write, read
  EXPECT_NEAR(groups[0].to_stock, 4, 1e-6);
  EXPECT_NEAR(groups[0].least, 2, 1e-6);
  EXPECT_EQ(groups[0].least_where, "a shm");
  EXPECT_EQ(groups[0].to_limit, 0);
}

TEST(BenchSummary, GoalsDependOnRanksAndHoles) {
  auto sparse = record("sparse", 2, "longshore", 70);
  sparse.dense = false;
  const auto rows =
      summarize({record("two", 2, "longshore", 70), record("two", 2, "limit", 100),
                 record("four", 4, "longshore", 70), record("four", 4, "limit", 100), sparse,
                 record("sparse", 2, "limit", 100), record("slow", 4, "longshore", 99),
                 record("slow", 4, "stock", 100)});
  const auto found = shortfalls(rows);
  ASSERT_EQ(found.size(), 4U);  // each as write and read
  EXPECT_EQ(found[0].row->workload, "two");
  EXPECT_NEAR(found[0].goal, 0.8, 1e-9);
  EXPECT_EQ(found[2].row->workload, "slow");
  EXPECT_EQ(found[2].against, "stock");
}

TEST(BenchSummary, WhatCountsAsWrong) {
  const auto good = record("a", 2, "longshore", 1);
  const auto stock = record("a", 2, "stock", 1);
  EXPECT_TRUE(all_well({good, stock}));
  EXPECT_TRUE(all_well({good, ended(stock, RunOutcome::kTimeout)}));
  EXPECT_TRUE(all_well({good, ended(stock, RunOutcome::kFailed)}));
  EXPECT_FALSE(all_well({good, ended(stock, RunOutcome::kWrong)}));
  EXPECT_FALSE(all_well({ended(good, RunOutcome::kTimeout), stock}));
  EXPECT_FALSE(all_well({ended(good, RunOutcome::kFailed), stock}));
}

TEST(BenchTable, MpisStandSideBySideAndATimeoutIsNamed) {
  const auto text =
      bench_report({record("tile", 2, "stock", 100), record("tile", 2, "longshore", 150),
                    ended(record("tile", 2, "stock", 1, MpiKind::kMpich), RunOutcome::kTimeout),
                    record("tile", 2, "longshore", 120, MpiKind::kMpich)});
  EXPECT_THAT(text, HasSubstr("tile       2  shm  write |     100     150       -   1.50       -  |"
                              " timeout     120       -     >1       - "));
  EXPECT_THAT(text, HasSubstr("Every row meets the goals"));
}

TEST(BenchTable, EachVariantOfASweepHasALine) {
  const auto text =
      bench_report({record("tile", 2, "stock", 100), record("tile", 2, "longshore a=1", 50),
                    record("tile", 2, "longshore a=2", 200)});
  EXPECT_THAT(text, HasSubstr("write  a=1 |     100      50"));
  EXPECT_THAT(text, HasSubstr("write  a=2 |     100     200"));
  EXPECT_THAT(text, HasSubstr("2 below a goal"));
}

TEST(BenchResults, RoundTripLeavesOutWhatFailed) {
  const BenchPlan plan;
  const auto text = results_to_json(
      plan,
      {record("tile", 2, "stock", 100), ended(record("a", 2, "longshore", 1), RunOutcome::kFailed),
       ended(record("b", 2, "stock", 1, MpiKind::kMpich), RunOutcome::kTimeout)});
  const auto back = results_of_json(text, plan);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 2U);
  EXPECT_EQ((*back)[0].bytes, 100000000);
  EXPECT_THAT((*back)[0].write_seconds, DoubleNear(1, 1e-6));
  EXPECT_EQ((*back)[1].mpi, MpiKind::kMpich);
  EXPECT_EQ((*back)[1].outcome, RunOutcome::kTimeout);
}

TEST(BenchResults, OtherSettingsAreNotMixed) {
  BenchPlan plan;
  const auto text = results_to_json(plan, {});
  plan.scale = 0.5;
  EXPECT_EQ(results_of_json(text, plan).error().code, ErrorClass::kNotSame);
  EXPECT_EQ(results_of_json("{", plan).error().code, ErrorClass::kBadFile);
}

TEST(BenchPlot, APanelPerMpiAndRanksAndItsBars) {
  const auto script =
      plot_script({record("tile_1m", 2, "stock", 100), record("tile_1m", 2, "longshore", 150),
                   record("tile_1m", 4, "longshore", 100, MpiKind::kMpich)},
                  "/x/it's.svg");
  EXPECT_THAT(script, AllOf(HasSubstr("set terminal svg"), HasSubstr("set output '/x/it''s.svg'"),
                            HasSubstr("openmpi, 2 ranks, write, shm"),
                            HasSubstr("mpich, 4 ranks, read, shm"),
                            HasSubstr("\"tile_1m\" 100.000000 150.000000 NaN \"1.5x\"")));
  EXPECT_THAT(script, Not(HasSubstr("openmpi, 4 ranks")));
}

TEST(BenchPlot, SaysWhatIsMissing) {
  auto system = bench_system();
  FakeBenchHost host;
  EXPECT_EQ(draw_plot(system, host, {}, "x.pdf").error().code, ErrorClass::kInvalidArgument);
  EXPECT_THAT(draw_plot(system, host, {}, "x.svg").error().detail, HasSubstr("gnuplot-nox"));
  system.add_program("gnuplot", "/usr/bin/gnuplot", "/usr/bin/gnuplot");
  EXPECT_TRUE(draw_plot(system, host, {}, "x.svg"));
  EXPECT_EQ(host.written.front().first, "x.svg.gp");
}

}  // namespace
}  // namespace longshore::cli
