// `longshore check` from what was asked for to the table and the file, with fake launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "lib/check_progress.h"
#include "lib/check_results.h"
#include "lib/check_runner.h"
#include "lib/check_setup.h"
#include "lib/check_table.h"
#include "unit/cli_fake_bench.h"

namespace longshore::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

FakeSystem check_system() {
  auto system = bench_system();
  for (const std::string tree : {"/b/openmpi", "/b/mpich"}) {
    system.files.emplace_back(tree + "/bin/longshore-check");
  }
  return system;
}

std::vector<std::string> texts_of(const CheckPlan& plan) {
  std::vector<std::string> texts;
  for (const auto& one : plan.launches) {
    texts.push_back(std::string(name(one.mpi)) + " " + one.mpi_io + " " +
                    std::to_string(one.ranks) + " " + one.dir);
  }
  return texts;
}

TEST(CheckSetup, EverythingByDefault) {
  const auto plan = plan_check(check_system(), {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(texts_of(*plan),
              ElementsAre("openmpi stock 2 /dev/shm", "openmpi longshore 2 /dev/shm",
                          "openmpi stock 4 /dev/shm", "openmpi longshore 4 /dev/shm",
                          "mpich stock 2 /dev/shm", "mpich longshore 2 /dev/shm",
                          "mpich stock 4 /dev/shm", "mpich longshore 4 /dev/shm"));
  EXPECT_EQ(plan->budget_seconds, 60);
  EXPECT_THAT(plan->remarks, IsEmpty());
}

TEST(CheckSetup, TheBudgetIsSharedByTheLaunches) {
  CheckRequest request;
  request.mpi = "mpich";
  request.ranks = {3};
  request.budget_seconds = 50;
  const auto plan = plan_check(check_system(), request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(texts_of(*plan), ElementsAre("mpich stock 3 /dev/shm", "mpich longshore 3 /dev/shm"));
  EXPECT_EQ(plan->budget_seconds, 25);
}

// Useful to any author of an MPI-IO.
TEST(CheckSetup, NeedsNoLibraryForStock) {
  auto system = check_system();
  std::erase_if(system.files,
                [](const auto& file) { return file.filename() == "liblongshore.so"; });
  CheckRequest request;
  request.ranks = {2};
  const auto plan = plan_check(system, request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(texts_of(*plan), ElementsAre("openmpi stock 2 /dev/shm", "mpich stock 2 /dev/shm"));
  EXPECT_THAT(plan->remarks, Contains(HasSubstr("stock only")));
  request.mpi_io = "longshore";
  EXPECT_EQ(plan_check(system, request).error().code, ErrorClass::kNoSuchFile);
}

TEST(CheckSetup, AnMpiWithoutTheProgramIsLeftOut) {
  auto system = check_system();
  std::erase(system.files, "/b/mpich/bin/longshore-check");
  CheckRequest request;
  request.ranks = {2};
  const auto plan = plan_check(system, request);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->launches.size(), 2U);
  EXPECT_THAT(plan->remarks, Contains(HasSubstr("without mpich")));
  request.mpi = "mpich";
  EXPECT_EQ(plan_check(system, request).error().code, ErrorClass::kNoSuchFile);
}

TEST(CheckSetup, WhatMakesNoSenseIsRefused) {
  const auto refused = [](auto change) {
    CheckRequest request;
    change(request);
    const auto plan = plan_check(check_system(), request);
    return !plan && plan.error().code == ErrorClass::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](CheckRequest& r) { r.mpi_io = "other"; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.mpi = "lam"; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.rules = {"13"}; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.sizes = {1000}; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.sizes = {128 << 20}; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.ranks = {0}; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.tolerance = 0; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.budget_seconds = 0; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.launcher = {"timeout", "5", "nothing"}; }));
  EXPECT_TRUE(refused([](CheckRequest& r) { r.launcher = {"srun"}; }));  // of which MPI?
  EXPECT_TRUE(refused([](CheckRequest& r) {
    r.launcher = {"mpirun.mpich"};
    r.mpi = "openmpi";
  }));
  EXPECT_FALSE(refused([](CheckRequest& r) { r.rules = {"3", "12"}; }));
}

TEST(CheckSetup, TheUsersOwnLauncherSaysWhichMpi) {
  CheckRequest request;
  request.launcher = {"mpirun.mpich", "-hosts", "a,b"};
  request.ranks = {8};
  request.mpi_io = "longshore";
  const auto system = check_system();
  const auto plan = plan_check(system, request);
  ASSERT_TRUE(plan);
  EXPECT_THAT(texts_of(*plan), ElementsAre("mpich longshore 8 /dev/shm"));
  const auto command = check_command(system, *plan, plan->launches.front());
  ASSERT_TRUE(command);
  EXPECT_THAT(FakeBenchHost::text_of(*command),
              AllOf(HasSubstr("mpirun.mpich"), HasSubstr("-hosts a,b -n 8 "),
                    HasSubstr("/b/mpich/bin/longshore-check --dir /dev/shm/longshore-check."),
                    HasSubstr("-genv LD_PRELOAD /b/mpich/lib/liblongshore.so")));
}

TEST(CheckSetup, CommandLineOfStockOpenMpi) {
  CheckRequest request;
  request.rules = {"1", "10"};
  request.sizes = {512, 4096};
  request.tolerance = 0.25;
  request.quick = true;
  const auto system = check_system();
  const auto plan = plan_check(system, request);
  ASSERT_TRUE(plan);
  const auto command = check_command(system, *plan, plan->launches.front());
  ASSERT_TRUE(command);
  EXPECT_THAT(FakeBenchHost::text_of(*command),
              AllOf(HasSubstr("/usr/bin/mpirun --oversubscribe"), HasSubstr("--rules 1,10"),
                    HasSubstr("--sizes 512,4096"), HasSubstr("--tolerance 0.25"),
                    HasSubstr("--quick"), Not(HasSubstr("LD_PRELOAD"))));
  EXPECT_THAT(command->environment, Contains(Pair("OMPI_ALLOW_RUN_AS_ROOT", "1")));
}

// A line of longshore-check.
std::string line(const std::string& rule, const std::string& name, const std::string& rest) {
  return R"({"rule":")" + rule + R"(","variant":"","name":")" + name +
         R"(","kind":"requirement","operation":"write","a":"MPI_File_x","b":"MPI_File_y",)" +
         R"("advice":"mend x",)" + rest + "}\n";
}

const std::string kPass =
    line("1", "one",
         R"("bytes":4096,"trials":8,"verdict":"pass","ratio":1.01,"low":0.95,)"
         R"("high":1.05,"a_seconds":0.002,"b_seconds":0.001)");
const std::string kFail =
    line("1", "one",
         R"("bytes":1048576,"trials":12,"verdict":"fail","ratio":1.5,"low":1.4,)"
         R"("high":1.6,"a_seconds":0.3,"b_seconds":0.2)");
const std::string kNoTrial = line("4", "four", R"("bytes":512,"trials":0,"verdict":"undecided")");
const std::string kSkipped = line("9", "nine", R"("bytes":512,"skipped":"MPI_ERR_UNSUPPORTED")");
const std::string kWrong = line("2", "two", R"("bytes":512,"wrong":"A: the file is wrong")");

class CheckRun : public testing::Test {
 protected:
  CheckRun() {
    request_.mpi = "openmpi";
    request_.mpi_io = "stock";
    request_.ranks = {2};
    host_.answer = [this](const ProcessRequest& request) {
      if (request.on_errors) {
        request.on_errors("progress 0 5 1 wri");
        request.on_errors("te 4096\nprogress 1 5 4 write 512\n");
      }
      return result_;
    };
  }

  void run(const std::string& lines, bool terminal = false) {
    result_.output = "a launcher's remark\n{\"check\":1,\"io\":\"" + io_ + "\"}\n" + lines;
    const auto plan = plan_check(system_, request_);
    ASSERT_TRUE(plan);
    plan_ = *plan;
    CheckProgress progress(progress_text_, terminal, [this] { return host_.now(); });
    ASSERT_TRUE(CheckRunner(system_, host_, progress).run(plan_, results_));
  }

  FakeSystem system_ = check_system();
  FakeBenchHost host_;
  CheckRequest request_;
  CheckPlan plan_;
  ProcessResult result_;
  std::string io_ = "stock";
  CheckResults results_;
  std::ostringstream progress_text_;
};

TEST_F(CheckRun, LinesBecomeRecords) {
  run(kPass + kFail + kNoTrial + kSkipped + kWrong);
  ASSERT_EQ(results_.records.size(), 5U);
  const auto& first = results_.records[0];
  EXPECT_EQ(first.rule, "1");
  EXPECT_EQ(first.bytes, 4096);
  EXPECT_EQ(first.judged.verdict, Verdict::kPass);
  EXPECT_EQ(first.judged.trials, 8);
  EXPECT_DOUBLE_EQ(first.judged.high, 1.05);
  EXPECT_EQ(first.dir, "/dev/shm");
  EXPECT_THAT(results_.mishaps, IsEmpty());
  const auto count = count_of(results_);
  EXPECT_EQ(count.pass, 1);
  EXPECT_EQ(count.fail, 2);  // wrong bytes too
  EXPECT_EQ(count.undecided, 1);
  EXPECT_EQ(count.skipped, 1);
}

TEST_F(CheckRun, TheTableHasTheWorstCaseAndTheCure) {
  run(kPass + kFail + kNoTrial + kSkipped + kWrong);
  const auto report = check_report(results_, 0.1);
  EXPECT_THAT(report, AllOf(HasSubstr("1 MiB"), HasSubstr("1.40 .. 1.60  FAIL 1 of 2"),
                            HasSubstr("MPI_File_x takes 1.50 times as long as MPI_File_y"),
                            HasSubstr("mend x"), HasSubstr("WRONG BYTES"),
                            HasSubstr("undecided 1 of 1"), HasSubstr("MPI_ERR_UNSUPPORTED"),
                            HasSubstr("1 pass, 2 fail, 1 undecided, 1 not measured")));
  EXPECT_THAT(report, Not(HasSubstr("4 KiB")));  // a pass beside a fail of the same rule
}

TEST_F(CheckRun, TheFileHasTheAgreedFields) {
  run(kPass + kFail + kNoTrial + kSkipped + kWrong);
  const auto text = check_to_json(plan_, results_);
  for (const char* part : {R"("kind": "check")",
                           R"("version": 1)",
                           R"("host": {)",
                           R"("tolerance": 0.1)",
                           R"("mpi": "openmpi")",
                           R"("mpi_io": "stock")",
                           R"("ranks": 2)",
                           R"("dir": "/dev/shm")",
                           R"("rule": "1")",
                           R"("name": "one")",
                           R"("operation": "write")",
                           R"("bytes": 4096)",
                           R"("ratio": 1.01)",
                           R"("low": 0.95)",
                           R"("high": 1.05)",
                           R"("trials": 8)",
                           R"("verdict": "pass")",
                           R"("verdict": "fail")",
                           R"("verdict": "undecided")",
                           R"("a_seconds": 0.002)",
                           R"("b_seconds": 0.001)",
                           R"("advice": "mend x")",
                           R"("reason": "MPI_ERR_UNSUPPORTED")",
                           R"("wrong": "A: the file is wrong")"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(CheckRun, ALaunchThatWasNotPreloadedDoesNotCount) {
  io_ = "longshore";
  run(kPass);
  EXPECT_THAT(results_.records, IsEmpty());
  ASSERT_EQ(results_.mishaps.size(), 1U);
  EXPECT_THAT(results_.mishaps[0].what, HasSubstr("ran on longshore instead of stock"));
}

TEST_F(CheckRun, WhatWasMeasuredBeforeACrashCounts) {
  result_.exit_code = 139;
  result_.errors = "progress 0 2 x\nsegmentation fault\n";
  run(kFail);
  EXPECT_EQ(results_.records.size(), 1U);
  ASSERT_EQ(results_.mishaps.size(), 1U);
  EXPECT_EQ(results_.mishaps[0].what, "exit code 139: segmentation fault");
  EXPECT_THAT(check_report(results_, 0.1), HasSubstr("segmentation fault"));
}

TEST_F(CheckRun, AHangIsNamed) {
  result_.timed_out = true;
  run(kPass);
  ASSERT_EQ(results_.mishaps.size(), 1U);
  EXPECT_THAT(results_.mishaps[0].what, HasSubstr("hangs"));
}

TEST_F(CheckRun, ABarOnATerminalPlainLinesElsewhere) {
  run(kPass);
  EXPECT_THAT(progress_text_.str(), AllOf(HasSubstr("check: 1/1  openmpi stock, 2 ranks"),
                                          Not(HasSubstr("4 write 512"))));
  run(kPass, true);
  EXPECT_THAT(progress_text_.str(),
              AllOf(HasSubstr("["), HasSubstr("1 write 4096"), HasSubstr("4 write 512")));
}

CheckResults self_results(int same_failed, int slowed_found) {
  CheckResults results;
  for (int i = 0; i < 200; ++i) {
    CheckRecord record;
    const bool same = i < 100;
    record.variant = same ? "same" : "slowed";
    const bool fails = same ? i < same_failed : i - 100 < slowed_found;
    record.judged.verdict = fails ? Verdict::kFail : Verdict::kPass;
    results.records.push_back(record);
  }
  return results;
}

TEST(CheckSelfTest, TwoWrongAnd95FoundAreJustGoodEnough) {
  EXPECT_TRUE(self_test_of(self_results(2, 95)).good());
  EXPECT_FALSE(self_test_of(self_results(3, 95)).good());
  EXPECT_FALSE(self_test_of(self_results(2, 94)).good());
  EXPECT_FALSE(self_test_of({}).good());
  EXPECT_THAT(self_test_report(self_test_of(self_results(3, 95))),
              AllOf(HasSubstr("3 of 100"), HasSubstr("95 of 100 found"), HasSubstr("NOT GOOD")));
}

TEST(CheckTable, SizesInWords) {
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(16384), "16 KiB");
  EXPECT_EQ(size_text(8 << 20), "8 MiB");
  EXPECT_EQ(size_text(1536), "1536 B");
}

}  // namespace
}  // namespace longshore::cli
