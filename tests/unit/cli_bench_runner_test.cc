#include "lib/bench_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cli_fake_bench.h"

namespace longshore::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

class Runner : public testing::Test {
 protected:
  Runner() {
    request_.names = {"tile"};
    request_.mpis = {"openmpi"};
    request_.ranks = {2};
    request_.dirs = {"/x"};
    request_.repetitions = 3;
  }

  Status run() {
    const auto plan = plan_bench(system_, request_);
    if (!plan) {
      return fail(plan.error());
    }
    BenchProgress progress(progress_text_, false, [this] { return host_.now(); });
    return BenchRunner(system_, host_, progress).run(*plan, records_, [this]() -> Status {
      ++saves_;
      return {};
    });
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> all;
    for (const auto& launch : host_.launches) {
      all.push_back(FakeBenchHost::kind_of(launch));
    }
    return all;
  }
  std::vector<std::string> outcomes() const {
    std::vector<std::string> all;
    for (const auto& record : records_) {
      all.push_back(record.variant + (record.outcome == RunOutcome::kOk        ? " ok"
                                      : record.outcome == RunOutcome::kTimeout ? " timeout"
                                      : record.outcome == RunOutcome::kSkipped ? " skipped"
                                      : record.outcome == RunOutcome::kWrong   ? " wrong"
                                                                               : " failed"));
    }
    return all;
  }
  // Launches of longshore end like this, all others well.
  void ours_end(ProcessResult result) {
    host_.answer = [result](const ProcessRequest& request) {
      return FakeBenchHost::kind_of(request) == "longshore" ? result : FakeBenchHost::good(request);
    };
  }

  FakeSystem system_ = bench_system();
  FakeBenchHost host_;
  BenchRequest request_;
  std::vector<RunRecord> records_;
  std::ostringstream progress_text_;
  int saves_ = 0;
};

TEST_F(Runner, VariantsTakeTurnsAndTheOrderRotates) {
  ASSERT_TRUE(run());
  EXPECT_THAT(kinds(), ElementsAre("stock", "longshore", "limit", "longshore", "limit", "stock",
                                   "limit", "stock", "longshore"));
  EXPECT_EQ(saves_, 1);
  EXPECT_EQ(records_.size(), 9U);
  EXPECT_EQ(records_[0].bytes, 4000000);
  EXPECT_EQ(records_[3].repetition, 1);
}

TEST_F(Runner, EachLaunchBeginsWithoutTheFile) {
  ASSERT_TRUE(run());
  EXPECT_EQ(host_.prepared.size(), host_.launches.size());
  EXPECT_THAT(FakeBenchHost::text_of(host_.launches[0]),
              HasSubstr("--file " + host_.prepared[0].string()));
}

TEST_F(Runner, CommandLinesOfBothMpis) {
  request_.mpis = {"openmpi", "mpich"};
  request_.hints = {"cb_nodes=1"};
  request_.sweeps = {"s=7"};
  request_.repetitions = 1;
  request_.scale = 0.5;
  ASSERT_TRUE(run());
  std::vector<std::string> texts;
  for (const auto& launch : host_.launches) {
    texts.push_back(FakeBenchHost::text_of(launch));
  }
  EXPECT_THAT(texts[0], AllOf(HasSubstr("/usr/bin/mpirun --oversubscribe"), HasSubstr(" -n 2 "),
                              HasSubstr("--bytes 500"), HasSubstr("--hint cb_nodes=1"),
                              Not(HasSubstr("s=7")), Not(HasSubstr("LD_PRELOAD"))));
  EXPECT_THAT(texts[1], AllOf(HasSubstr("-x LD_PRELOAD=/b/openmpi/lib/liblongshore.so"),
                              HasSubstr("--hint cb_nodes=1 --hint s=7")));
  EXPECT_THAT(texts[2], AllOf(HasSubstr("--mode limit"), Not(HasSubstr("--hint"))));
  EXPECT_THAT(texts[4], HasSubstr("-genv LD_PRELOAD /b/mpich/lib/liblongshore.so"));
  EXPECT_THAT(host_.launches[0].environment, Contains(Pair("OMPI_ALLOW_RUN_AS_ROOT", "1")));
}

TEST_F(Runner, AGivenLauncherStandsForMpirunAndItsFlags) {
  system_.add_program("site/mpirun", "/site/mpirun", "/site/mpirun");
  request_.mpis = {"openmpi", "mpich"};
  request_.launcher = "site/mpirun --mpi {mpi} --hosts 4";
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  std::vector<std::string> texts;
  for (const auto& launch : host_.launches) {
    texts.push_back(FakeBenchHost::text_of(launch));
  }
  EXPECT_THAT(
      texts[0],
      StartsWith("site/mpirun --mpi openmpi --hosts 4 -n 2 /b/openmpi/bin/longshore-workload"));
  EXPECT_THAT(texts[1], StartsWith("site/mpirun -x LD_PRELOAD=/b/openmpi/lib/liblongshore.so"));
  EXPECT_THAT(texts[1], HasSubstr(" --mpi openmpi --hosts 4 -n 2 "));
  EXPECT_THAT(texts[3],
              StartsWith("site/mpirun --mpi mpich --hosts 4 -n 2 /b/mpich/bin/longshore-workload"));
  EXPECT_THAT(texts[4], StartsWith("site/mpirun -genv LD_PRELOAD /b/mpich/lib/liblongshore.so"));
}

TEST_F(Runner, ALauncherThatIsNotThereIsNamed) {
  request_.launcher = "site/mpirun --mpi {mpi}";
  const auto ran = run();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, ErrorClass::kNoSuchFile);
  EXPECT_THAT(ran.error().detail, HasSubstr("--launcher site/mpirun"));
  EXPECT_TRUE(host_.launches.empty());
}

TEST_F(Runner, AVariantThatTookTooLongIsNotTriedAgainWithTheWorkload) {
  request_.names = {"tile", "sparse"};
  request_.compare = {"stock", "longshore"};
  request_.repetitions = 2;
  host_.answer = [](const ProcessRequest& request) {
    auto result = FakeBenchHost::good(request);
    result.timed_out = FakeBenchHost::kind_of(request) == "stock" &&
                       FakeBenchHost::text_of(request).find(" tile ") != std::string::npos;
    return result;
  };
  ASSERT_TRUE(run());
  EXPECT_THAT(outcomes(),
              ElementsAre("stock timeout", "longshore ok", "longshore ok", "stock skipped",
                          "stock ok", "longshore ok", "longshore ok", "stock ok"));
  EXPECT_THAT(progress_text_.str(), HasSubstr("timeout: tile"));
}

TEST_F(Runner, WrongBytesAreNamed) {
  ProcessResult result;
  result.exit_code = 1;
  result.output = "{\"workload\": \"tile\", \"verified\": false, \"wrong\": \"at offset 7\"}\n";
  ours_end(result);
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  EXPECT_THAT(outcomes(), ElementsAre("stock ok", "longshore wrong", "limit ok"));
  EXPECT_EQ(records_[1].detail, "at offset 7");
}

// MPI says nothing of bytes that nobody wrote: stock's figures count, with a remark; for Longshore
// they are wrong bytes.
TEST_F(Runner, BytesInHolesAreWrongOnlyForOurs) {
  host_.answer = [](const ProcessRequest& request) {
    auto result = FakeBenchHost::good(request);
    const std::string right = R"("verified": true, "wrong": "")";
    const auto at = result.output.find(right);
    result.exit_code = 1;
    result.output.replace(at, right.size(),
                          R"("verified": false, "only_holes": true, "wrong": "a hole")");
    return result;
  };
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  EXPECT_THAT(outcomes(), ElementsAre("stock ok", "longshore wrong", "limit wrong"));
  EXPECT_TRUE(records_[0].dirty_holes);
  EXPECT_EQ(records_[0].bytes, 4000000);
  EXPECT_EQ(records_[0].detail, "a hole");
}

TEST_F(Runner, ColdReadsAreAskedOfEveryVariantAndKeptInItsRecord) {
  request_.repetitions = 1;
  request_.cold = true;
  ASSERT_TRUE(run());
  ASSERT_EQ(host_.launches.size(), 3U);
  for (const auto& launch : host_.launches) {
    EXPECT_THAT(FakeBenchHost::text_of(launch), HasSubstr("--cold"));
  }
  EXPECT_TRUE(records_[0].cold);
}

TEST_F(Runner, CallsAreIndependentByTheWorkloadOrByForce) {
  request_.names = {"tile", "records"};
  request_.compare = {"stock"};
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  EXPECT_FALSE(records_[0].independent);
  EXPECT_TRUE(records_[1].independent);
  EXPECT_THAT(FakeBenchHost::text_of(host_.launches[1]), Not(HasSubstr("--independent")));
  records_.clear();
  request_.independent = true;
  ASSERT_TRUE(run());
  EXPECT_TRUE(records_[0].independent);
  EXPECT_THAT(FakeBenchHost::text_of(host_.launches[2]), HasSubstr("--independent"));
}

TEST_F(Runner, ACrashIsARecordWithItsLastWords) {
  ProcessResult result;
  result.exit_code = 139;
  result.errors = "segmentation fault\n";
  ours_end(result);
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  EXPECT_THAT(outcomes(), ElementsAre("stock ok", "longshore failed", "limit ok"));
  EXPECT_EQ(records_[1].detail, "exit code 139: segmentation fault");
}

TEST_F(Runner, ALaunchThatWasNotPreloadedIsNotTakenForOurs) {
  ours_end(FakeBenchHost::good({}));  // says io: stock
  request_.repetitions = 1;
  ASSERT_TRUE(run());
  EXPECT_THAT(records_[1].detail, HasSubstr("ran on stock"));
}

TEST_F(Runner, WhatIsDoneIsNotDoneAgain) {
  ASSERT_TRUE(run());
  host_.launches.clear();
  records_.pop_back();
  ASSERT_TRUE(run());
  EXPECT_THAT(kinds(), ElementsAre("longshore"));
  EXPECT_EQ(records_.size(), 9U);
}

TEST_F(Runner, AnInterruptEndsTheRun) {
  host_.answer = [this](const ProcessRequest& request) {
    auto result = FakeBenchHost::good(request);
    result.interrupted = host_.launches.size() == 2;
    return result;
  };
  EXPECT_EQ(run().error().detail, "interrupted");
  EXPECT_EQ(records_.size(), 1U);
}

TEST(BenchProgress, PlainLinesPerCaseABarOnATerminal) {
  double clock = 0;
  RunRecord record;
  record.workload = "tile";
  record.ranks = 2;
  record.dir = "shm";
  std::ostringstream plain;
  std::ostringstream terminal;
  for (const bool is_terminal : {false, true}) {
    BenchProgress progress(is_terminal ? terminal : plain, is_terminal, [&] { return clock; });
    progress.begin(4);
    progress.step(record);
    clock += 30;
    progress.done(record);
    progress.step(record);
  }
  EXPECT_EQ(plain.str(), "bench: 0/4  tile, 2 ranks, shm\n");
  EXPECT_THAT(terminal.str(), AllOf(HasSubstr("[######"), HasSubstr("1 min 30 s left")));
  EXPECT_EQ(duration_text(3725), "1 h 02 min");
}

}  // namespace
}  // namespace longshore::cli
