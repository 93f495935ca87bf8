#include "lib/bench_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/bench_beside.h"
#include "lib/bench_plot.h"
#include "lib/bench_results.h"
#include "lib/bench_table.h"
#include "unit/cli_fake_bench.h"

namespace longshore::cli {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

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

RunRecord alone(RunRecord one) {
  one.independent = true;
  return one;
}

// Writes at 50 of 100 miss 0.60 of the limit on any number of ranks; reads have no such goal, nor
// have workloads with holes.
TEST(BenchSummary, IndependentCallsHaveGoalsOfTheirOwn) {
  auto sparse = alone(record("sparse", 2, "longshore", 50));
  sparse.dense = false;
  const auto rows =
      summarize({alone(record("good", 2, "longshore", 61)), record("good", 2, "limit", 100),
                 alone(record("two", 2, "longshore", 50)), record("two", 2, "limit", 100),
                 alone(record("nine", 9, "longshore", 50)), record("nine", 9, "limit", 100), sparse,
                 record("sparse", 2, "limit", 100), alone(record("slow", 2, "longshore", 90)),
                 record("slow", 2, "stock", 100)});
  const auto found = shortfalls(rows);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].row->workload, "two");
  EXPECT_EQ(found[0].row->op, "write");
  EXPECT_NEAR(found[0].goal, 0.6, 1e-9);
  EXPECT_EQ(found[1].row->workload, "nine");
  EXPECT_EQ(found[2].against, "stock");  // slow, write and read
  EXPECT_EQ(found[3].row->op, "read");
}

// Twice and half as fast as stock: a mean of 1. Collective rows have a mean of their own, of 4.
TEST(BenchSummary, TheMeanGoalIsForIndependentCallsOnFourRanks) {
  std::vector<RunRecord> records;
  for (const int ranks : {2, 4}) {
    for (const auto& [name, ours] : {std::pair{"a", 200.0}, std::pair{"b", 50.0}}) {
      records.push_back(alone(record(name, ranks, "longshore", ours)));
      records.push_back(alone(record(name, ranks, "stock", 100)));
    }
    records.push_back(record("c", ranks, "longshore", 400));
    records.push_back(record("c", ranks, "stock", 100));
  }
  const auto low = low_means(summarize(records));
  ASSERT_EQ(low.size(), 2U);  // write, read
  EXPECT_EQ(low[0].ranks, 4);
  EXPECT_EQ(low[0].op, "write");
  EXPECT_NEAR(low[0].to_stock, 1, 1e-6);
  const auto text = bench_report(records);
  EXPECT_THAT(text, HasSubstr("mean            4         write openmpi /stock 1.00 of 1.50"));
  EXPECT_THAT(text, HasSubstr("limit 0.60 for writes, stock 1.50 in the mean of 4 ranks"));
  EXPECT_THAT(text, HasSubstr("4 ranks  collective   write  /stock   4.00"));
  EXPECT_THAT(text, HasSubstr("c (collective)   4  shm  write"));
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

// Rows of 300 beside collective calls of 100 by stock and of 200 by ours.
TEST(BenchTable, RowsStandBesideTheSameBytesByCollectiveCalls) {
  const std::vector<RunRecord> records = {
      record("btio", 4, "stock", 100), record("btio", 4, "longshore", 200),
      alone(record("btio_rows", 4, "stock", 50)), alone(record("btio_rows", 4, "longshore", 300)),
      alone(record("other_rows", 4, "longshore", 1))};
  const auto rows = summarize(records);
  const auto pairs = pair_rows(rows);
  ASSERT_EQ(pairs.size(), 2U);  // write, read
  EXPECT_EQ(pairs[0].rows->workload, "btio_rows");
  EXPECT_EQ(pairs[0].collective->workload, "btio");
  EXPECT_THAT(bench_report(records),
              HasSubstr("write openmpi |     100     200  |      50     300  |   3.00    1.50 "));
  EXPECT_EQ(beside_collective(summarize({record("btio", 4, "stock", 100)})), "");
}

TEST(BenchTable, BytesThatStockLeavesInHolesAreToldOnce) {
  auto dirty = record("sparse", 4, "stock", 100);
  dirty.dirty_holes = true;
  const auto text = bench_report({dirty, dirty, record("sparse", 4, "longshore", 200)});
  const std::string remark = "openmpi leaves bytes other than zero in the holes of sparse";
  EXPECT_THAT(text, HasSubstr(remark));
  EXPECT_EQ(text.find(remark), text.rfind(remark));
}

TEST(BenchResults, RoundTripLeavesOutWhatFailed) {
  const BenchPlan plan;
  const auto text =
      results_to_json(plan, {},
                      {alone(record("tile", 2, "stock", 100)),
                       ended(record("a", 2, "longshore", 1), RunOutcome::kFailed),
                       ended(record("b", 2, "stock", 1, MpiKind::kMpich), RunOutcome::kTimeout)});
  const auto back = results_of_json(text, plan, {});
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 2U);
  EXPECT_EQ((*back)[0].bytes, 100000000);
  EXPECT_TRUE((*back)[0].independent);
  EXPECT_FALSE((*back)[1].independent);
  EXPECT_THAT((*back)[0].write_seconds, DoubleNear(1, 1e-6));
  EXPECT_EQ((*back)[1].mpi, MpiKind::kMpich);
  EXPECT_EQ((*back)[1].outcome, RunOutcome::kTimeout);
}

TEST(BenchResults, OtherSettingsAreNotMixed) {
  BenchPlan plan;
  const auto text = results_to_json(plan, {}, {});
  plan.scale = 0.5;
  EXPECT_EQ(results_of_json(text, plan, {}).error().code, ErrorClass::kNotSame);
  EXPECT_EQ(results_of_json("{", plan, {}).error().code, ErrorClass::kBadFile);
}

TEST(BenchResults, SayOnWhichMachineTheyWereMade) {
  auto ok = record("tile", 2, "stock", 100);
  ok.detail = "MPI 1.2";
  auto dirty = ok;
  dirty.dirty_holes = true;
  dirty.detail = "a byte in a hole";
  const Machine machine = {"atlas", 8, "Linux 6.1", "x86_64", {{"shm", "tmpfs"}}};
  const auto text = results_to_json(BenchPlan{}, machine, {dirty, ok, ok});
  const auto launches = launches_of_json(text);
  ASSERT_TRUE(launches);
  EXPECT_THAT(launches->machine,
              ElementsAre(Pair("hostname", "atlas"), Pair("cores", "8"),
                          Pair("kernel", "Linux 6.1"), Pair("architecture", "x86_64"),
                          Pair("file_systems", "shm tmpfs"), Pair("mpi", "openmpi MPI 1.2")));
  EXPECT_TRUE(results_of_json(text, BenchPlan{}, machine));
}

TEST(BenchResults, OtherMachinesAreNotMixed) {
  const Machine atlas = {"atlas", 8, "", "", {}};
  const Machine other = {"other", 8, "", "", {}};
  const auto text = results_to_json(BenchPlan{}, atlas, {});
  EXPECT_EQ(results_of_json(text, BenchPlan{}, other).error().code, ErrorClass::kNotSame);
  // Older files do not say.
  EXPECT_TRUE(results_of_json(results_to_json(BenchPlan{}, {}, {}), BenchPlan{}, other));
}

TEST(BenchResults, ColdReadsAreSaidToBeSo) {
  BenchPlan plan;
  plan.cold = true;
  auto cold = record("tile", 2, "longshore", 100);
  cold.cold = true;
  const auto text = results_to_json(plan, {}, {cold});
  EXPECT_TRUE(results_of_json(text, plan, {})->at(0).cold);
  EXPECT_EQ(results_of_json(text, BenchPlan{}, {}).error().code, ErrorClass::kNotSame);
  EXPECT_THAT(bench_report({cold}), HasSubstr("Cold reads:"));
  EXPECT_THAT(bench_report({record("tile", 2, "longshore", 100)}), Not(HasSubstr("Cold")));
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
