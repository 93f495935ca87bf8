#include "core/decisions.h"

#include <gmock/gmock.h>

#include "advise/describe.h"
#include "core/observer.h"

namespace longshore {
namespace {

TEST(Decisions, TheSameIsCountedAndDescribedOnce) {
  Decisions decisions;
  int described = 0;
  const char* why = "because";
  for (int i = 0; i < 3; ++i) {
    decisions.note("write_all", 7, why, [&] {
      ++described;
      return std::string("so");
    });
  }
  decisions.note("read_all", 7, why, [] { return std::string("so"); });
  const auto list = decisions.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].calls, 3);
  EXPECT_EQ(described, 1);
  EXPECT_EQ(render_json({list[0]}),
            R"([{"call":"write_all","how":"so","why":"because","calls":3}])");
}

TEST(Decisions, TooManyDifferentOnesAreCountedTogether) {
  Decisions decisions;
  for (uint64_t key = 0; key < 100; ++key) {
    decisions.note("write_all", key, "", [] { return std::string("x"); });
  }
  const auto list = decisions.list();
  EXPECT_LT(list.size(), 30U);
  int64_t calls = 0;
  for (const auto& each : list) {
    calls += each.calls;
  }
  EXPECT_EQ(calls, 100);
}

TEST(CallTimer, CountsOnlyOnRequest) {
  Observer observer;
  { const CallTimer timer(observer, "write"); }
  EXPECT_EQ(observer.counters.get(Counter::kCallNs), 0);
  observer.times = true;
  observer.trace = std::make_unique<Trace>();
  { const CallTimer timer(observer, "write"); }
  EXPECT_NE(observer.trace->render(5, 1000).find("\"name\":\"write\",\"ph\":\"X\",\"pid\":5"),
            std::string::npos);
}

TEST(Trace, EventsBeyondTheMostAreCounted) {
  Trace trace;
  for (size_t i = 0; i < Trace::kMostEvents + 3; ++i) {
    trace.add("x", "engine", 0, 1, 0);
  }
  EXPECT_NE(trace.render(0).find("3 more events are not kept"), std::string::npos);
}

TEST(Describe, StrategiesThatReadAlikeHaveOneFingerprint) {
  Strategy strategy;
  EXPECT_EQ(describe(strategy), "every rank for itself");
  strategy.two_phase = true;
  strategy.aggregators = {0, 2};
  strategy.partition.window_bytes = 1 << 20;
  strategy.pipeline = PipelineKind::kComm;
  EXPECT_EQ(describe(strategy),
            "two phases: 2 aggregators, even partition, shm exchange, comm pipeline, buffers of "
            "1 MiB");
  Strategy other = strategy;
  other.aggregators = {1, 3};
  EXPECT_EQ(fingerprint(other), fingerprint(strategy));
  other.far = ExchangeKind::kRmaLock;
  EXPECT_EQ(exchange_name(other), "shm+rma_lock");
  EXPECT_NE(fingerprint(other), fingerprint(strategy));
  other.far = ExchangeKind::kGathered;
  EXPECT_EQ(exchange_name(other), "shm+gathered");
}

TEST(Describe, IndependentWaysComeFromTheirCounters) {
  CounterValues values{};
  values[static_cast<size_t>(Counter::kWritesPages)] = 4;
  values[static_cast<size_t>(Counter::kReadsSieve)] = 2;
  const auto found = independent_decisions(values);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].call + " " + found[0].how, "write through pages in memory");
  EXPECT_EQ(found[1].call, "read");
  EXPECT_EQ(found[1].calls, 2);
}

TEST(Describe, BytesHaveAUnitWhereThatIsExact) {
  EXPECT_EQ(bytes_in_words(0), "0 bytes");
  EXPECT_EQ(bytes_in_words(1000), "1000 bytes");
  EXPECT_EQ(bytes_in_words(3 << 20), "3 MiB");
  EXPECT_EQ(bytes_in_words(1536), "1536 bytes");
}

}  // namespace
}  // namespace longshore
