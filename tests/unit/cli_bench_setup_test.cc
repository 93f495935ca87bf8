#include "lib/bench_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/bench_sweep.h"
#include "unit/cli_fake_bench.h"

namespace longshore::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> cases_of(const BenchPlan& plan) {
  std::vector<std::string> texts;
  for (const auto& one : plan.cases) {
    texts.push_back(one.workload.name + " " + std::to_string(one.ranks) + " " + one.dir.label);
  }
  return texts;
}

std::vector<std::string> variants_of(const BenchPlan& plan) {
  std::vector<std::string> texts;
  for (const auto& one : plan.variants) {
    texts.push_back(std::string(name(one.mpi)) + " " + one.name());
  }
  return texts;
}

Error error_of(const BenchRequest& request, const FakeSystem& system = bench_system()) {
  const auto plan = plan_bench(system, request);
  return plan ? Error{} : plan.error();
}

TEST(BenchSetup, TheSetRunsEverythingOnTwoAndFourAndBtioOnSquares) {
  BenchRequest request;
  request.set = "collective";
  request.dirs = {"/x"};
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan) << plan.error().detail;
  EXPECT_THAT(cases_of(*plan), ElementsAre("tile 2 /x", "tile 4 /x", "btio 4 /x", "btio 9 /x",
                                           "sparse 2 /x", "sparse 4 /x"));
  EXPECT_THAT(variants_of(*plan), ElementsAre("openmpi stock", "openmpi longshore", "openmpi limit",
                                              "mpich stock", "mpich longshore", "mpich limit"));
  EXPECT_EQ(plan->repetitions, 5);
}

TEST(BenchSetup, ASetMayShareWorkloadsWithAnother) {
  BenchRequest request;
  request.set = "independent";
  request.dirs = {"/x"};
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan) << plan.error().detail;
  EXPECT_THAT(cases_of(*plan), ElementsAre("btio 4 /x", "btio 9 /x", "btio_rows 4 /x",
                                           "btio_rows 9 /x", "records 2 /x", "records 4 /x"));
  EXPECT_FALSE(plan->cases.front().workload.independent);
  EXPECT_TRUE(plan->cases.back().workload.independent);
  EXPECT_FALSE(plan->independent);  // nothing is forced
}

TEST(BenchSetup, FilesGoToDiskAndToMemoryByDefault) {
  BenchRequest request;
  request.names = {"tile"};
  request.ranks = {3};
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(cases_of(*plan), ElementsAre("tile 3 disk", "tile 3 shm"));
  EXPECT_THAT(plan->cases[1].dir.path.string(), HasSubstr("/dev/shm/longshore-bench."));
}

TEST(BenchSetup, QuickIsSmallerWhereNothingElseIsSaid) {
  BenchRequest request;
  request.set = "collective";
  request.quick = true;
  request.repetitions = 7;
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(cases_of(*plan), ElementsAre("tile 2 shm", "tile 4 shm", "btio 4 shm", "sparse 2 shm",
                                           "sparse 4 shm"));
  EXPECT_LT(plan->scale, 1);
  EXPECT_EQ(plan->repetitions, 7);
}

TEST(BenchSetup, RanksThatAreNoSquareAreNotForBtio) {
  BenchRequest request;
  request.names = {"btio"};
  request.ranks = {2, 3};
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->cases.empty());
  EXPECT_THAT(plan->remarks, ElementsAre(HasSubstr("square")));
}

TEST(BenchSetup, AnMpiThatIsNotThereIsLeftOutUnlessAskedFor) {
  auto system = bench_system();
  std::erase(system.files, "/b/mpich/bin/longshore-workload");
  BenchRequest request;
  request.names = {"tile"};
  const auto plan = plan_bench(system, request);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->mpis.size(), 1U);
  EXPECT_THAT(plan->remarks, ElementsAre(HasSubstr("longshore-workload")));
  request.mpis = {"mpich"};
  EXPECT_EQ(error_of(request, system).code, ErrorClass::kNoSuchFile);
}

TEST(BenchSetup, ProgramOfAnInstallationStandsBesideTheLibrary) {
  auto system = bench_system();
  system.own = "/usr/local/bin/longshore";
  system.files = {"/usr/local/lib/longshore/mpich/liblongshore.so",
                  "/usr/local/lib/longshore/mpich/longshore-workload"};
  const auto found = find_bench_mpi(system, MpiKind::kMpich);
  ASSERT_TRUE(found) << found.error().detail;
  EXPECT_EQ(found->program, "/usr/local/lib/longshore/mpich/longshore-workload");
  EXPECT_EQ(found->mpirun, "/usr/bin/mpirun.mpich");
}

TEST(BenchSetup, MisuseNamesWhatThereIs) {
  BenchRequest request;
  EXPECT_THAT(error_of(request).detail, HasSubstr("tile btio sparse"));
  request.names = {"tiles"};
  EXPECT_THAT(error_of(request).detail, HasSubstr("tile btio sparse"));
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
  request.set = "all";
  EXPECT_EQ(error_of(request).detail, "--set all is no set; there are collective independent");
  request.set.clear();
  request.names = {"tile"};
  request.compare = {"ours"};
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
  request.compare.clear();
  request.hints = {"nonsense"};
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
  request.hints.clear();
  request.ranks = {0};
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
}

TEST(BenchSetup, ZeroIsNotTheDefault) {
  BenchRequest request;
  request.names = {"tile"};
  request.repetitions = 0;
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
  request.repetitions = 1;
  request.scale = 0;
  EXPECT_EQ(error_of(request).code, ErrorClass::kInvalidArgument);
  request.scale = 0.5;
  EXPECT_EQ(error_of(request).code, ErrorClass::kOk);
}

TEST(BenchSetup, EachCombinationOfASweepIsAVariantOfLongshore) {
  BenchRequest request;
  request.names = {"tile"};
  request.mpis = {"mpich"};
  request.compare = {"longshore", "limit"};
  request.sweeps = {"a=1,2", "b=x"};
  const auto plan = plan_bench(bench_system(), request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(variants_of(*plan),
              ElementsAre("mpich longshore a=1 b=x", "mpich longshore a=2 b=x", "mpich limit"));
}

TEST(BenchSweep, NoSweepIsOneCombination) {
  EXPECT_EQ(expand_sweeps({})->size(), 1U);
  EXPECT_EQ(expand_sweeps({"a=1,2", "b=1,2,3"})->size(), 6U);
  EXPECT_FALSE(expand_sweeps({"a"}));
  EXPECT_FALSE(expand_sweeps({"a="}));
}

}  // namespace
}  // namespace longshore::cli
