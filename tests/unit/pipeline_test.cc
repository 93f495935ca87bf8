#include "collective/pipeline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace longshore {
namespace {

// Notes what happens as "x+0" (exchange of cycle 0 begins), "s-1" (storage of cycle 1 ends), and
// checks the rules of run_pipeline().
class Script {
 public:
  class Recorder final : public Stage {
   public:
    Recorder(Script& script, char name) : script_(script), name_(name) {}
    void begin(int64_t cycle) override {
      EXPECT_EQ(cycle, begun++);
      script_.note(name_, '+', cycle);
    }
    bool ready(int64_t cycle) override { return cycle < ready_before; }
    void end(int64_t cycle) override {
      EXPECT_EQ(cycle, ended++);
      EXPECT_LT(cycle, begun);
      script_.note(name_, '-', cycle);
    }
    int64_t begun = 0;
    int64_t ended = 0;
    int64_t ready_before = 1000;

   private:
    Script& script_;
    char name_;
  };

  explicit Script(bool exchange_first) : exchange_first_(exchange_first) {}
  std::string run(PipelineKind kind, int64_t cycles) {
    kind_ = kind;
    run_pipeline(kind, {exchange, storage, exchange_first_}, cycles);
    EXPECT_EQ(exchange.ended, cycles);
    EXPECT_EQ(storage.ended, cycles);
    return text_;
  }
  Recorder exchange{*this, 'x'};
  Recorder storage{*this, 's'};

 private:
  void note(char stage, char what, int64_t cycle) {
    text_ += (text_.empty() ? "" : " ") + std::string{stage, what} + std::to_string(cycle);
    const Recorder& first = exchange_first_ ? exchange : storage;
    const Recorder& second = exchange_first_ ? storage : exchange;
    EXPECT_LE(second.begun, first.ended) << text_;
    EXPECT_LE(first.begun - second.ended, buffers_of(kind_)) << text_;
    EXPECT_LE(exchange.begun - exchange.ended, 1) << text_;
  }
  bool exchange_first_;
  PipelineKind kind_ = PipelineKind::kNone;
  std::string text_;
};

TEST(Pipeline, NoneOverlapsNothing) {
  EXPECT_EQ(Script(true).run(PipelineKind::kNone, 2), "x+0 x-0 s+0 s-0 x+1 x-1 s+1 s-1");
  EXPECT_EQ(Script(false).run(PipelineKind::kNone, 1), "s+0 s-0 x+0 x-0");
}

TEST(Pipeline, CommHasTheNextExchangeUnderWayWhileStoring) {
  EXPECT_EQ(Script(true).run(PipelineKind::kComm, 2), "x+0 x-0 x+1 s+0 s-0 x-1 s+1 s-1");
}

TEST(Pipeline, CommOfAReadDeliversWhileTheNextCycleLoads) {
  EXPECT_EQ(Script(false).run(PipelineKind::kComm, 2), "s+0 s-0 x+0 s+1 s-1 x-0 x+1 x-1");
}

TEST(Pipeline, WriteStoresWhileTheNextExchangeRuns) {
  EXPECT_EQ(Script(true).run(PipelineKind::kWrite, 2), "x+0 x-0 s+0 x+1 x-1 s-0 s+1 s-1");
}

TEST(Pipeline, WriteOfAReadReadsAhead) {
  EXPECT_EQ(Script(false).run(PipelineKind::kWrite, 2), "s+0 s-0 s+1 x+0 x-0 s-1 x+1 x-1");
}

TEST(Pipeline, WriteCommHasBothUnderWay) {
  EXPECT_EQ(Script(true).run(PipelineKind::kWriteComm, 2), "x+0 x-0 x+1 s+0 x-1 s-0 s+1 s-1");
}

// While the next cycle loads, this one's bytes are delivered.
TEST(Pipeline, WriteCommOfAReadEndsTheExchangeFirst) {
  EXPECT_EQ(Script(false).run(PipelineKind::kWriteComm, 2), "s+0 s-0 s+1 x+0 x-0 s-1 x+1 x-1");
}

TEST(Pipeline, WriteComm2FollowsUpWhatEndsFirst) {
  // Everything is ready at once: storage of a cycle is queued as soon as its bytes are there.
  EXPECT_EQ(Script(true).run(PipelineKind::kWriteComm2, 3),
            "x+0 x-0 s+0 x+1 x-1 s+1 s-0 x+2 x-2 s+2 s-1 s-2");
}

TEST(Pipeline, WriteComm2DoesNotWaitForASlowExchange) {
  Script script(true);
  script.exchange.ready_before = 1;  // the second exchange is not ready: storage is ended first
  EXPECT_EQ(script.run(PipelineKind::kWriteComm2, 2), "x+0 x-0 s+0 x+1 s-0 x-1 s+1 s-1");
}

TEST(Pipeline, KeepsItsRulesForAnyNumberOfCycles) {
  for (const auto kind : {PipelineKind::kNone, PipelineKind::kComm, PipelineKind::kWrite,
                          PipelineKind::kWriteComm, PipelineKind::kWriteComm2}) {
    for (const bool exchange_first : {true, false}) {
      for (int64_t cycles = 0; cycles < 9; ++cycles) {
        Script(exchange_first).run(kind, cycles);
      }
    }
  }
}

}  // namespace
}  // namespace longshore
