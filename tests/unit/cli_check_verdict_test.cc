#include "lib/check_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/check_trial.h"

namespace longshore::cli {
namespace {

// A clock on a busy machine. Times of an operation of 1 ms: a little noise always, spikes with a
// heavy tail (their mean is finite, their variance is not), bursts in which all is up to four times
// slower for a few dozen operations, and a drift over the run.
class NoisyClock {
 public:
  explicit NoisyClock(uint64_t seed) : random_(seed) {}

  double time(double slowness) {
    ++operations_;
    if (burst_left_ > 0) {
      --burst_left_;
    } else if (uniform() < 0.02) {
      burst_left_ = static_cast<int>(40 * uniform());
      burst_ = 1 + 3 * uniform();
    }
    const double drift = 1 + 0.3 * std::sin(operations_ / 60.0);
    double seconds = 0.001 * slowness * drift * (burst_left_ > 0 ? burst_ : 1);
    seconds *= std::exp(0.05 * std::normal_distribution<>()(random_));
    if (uniform() < 0.15) {
      seconds += 0.0002 * std::pow(1 - uniform(), -1 / 1.5);
    }
    return seconds;
  }
  bool coin() { return uniform() < 0.5; }

 private:
  double uniform() { return std::uniform_real_distribution<>()(random_); }

  std::mt19937_64 random_;
  double operations_ = 0;
  int burst_left_ = 0;
  double burst_ = 1;
};

// Several ranks, each with noise of its own. A run is over when the last of them is done; whatever
// runs second in a pair may be slower for that alone, as caches and clock rates make it.
class NoisyRanks {
 public:
  NoisyRanks(int ranks, uint64_t seed) {
    for (int i = 0; i < ranks; ++i) {
      clocks_.emplace_back(seed + 7919 * static_cast<uint64_t>(i));
    }
  }
  double time(double slowness) {
    double last = 0;
    for (auto& clock : clocks_) {
      last = std::max(last, clock.time(slowness));
    }
    return last;
  }

 private:
  std::vector<NoisyClock> clocks_;
};

// As longshore-check measures one case: trials of several runs, more of them after a wide look.
Judgement measured_by_ranks(int ranks, double slowness, uint64_t seed, double second_slowness = 1) {
  NoisyRanks clocks(ranks, seed);
  std::mt19937_64 order(seed);
  PairedJudge judge(VerdictRules{});
  int made = 0;
  for (int runs = kFirstRuns; !judge.done(); runs = runs_after_look(runs, judge.judgement())) {
    for (int left = judge.trials_to_next_look(); left > 0; --left) {
      const auto best = best_of_pairs(runs, order, [&](bool is_a) {
        const double place = made++ % 2 == 0 ? 1 : second_slowness;
        return std::optional(clocks.time(place * (is_a ? slowness : 1)));
      });
      judge.add(best->a_seconds, best->b_seconds);
    }
  }
  return judge.judgement();
}

Judgement measured(double slowness, uint64_t seed, const VerdictRules& rules = {}) {
  NoisyClock clock(seed);
  PairedJudge judge(rules);
  while (!judge.done()) {
    const bool a_first = clock.coin();
    const double first = clock.time(a_first ? slowness : 1);
    const double second = clock.time(a_first ? 1 : slowness);
    judge.add(a_first ? first : second, a_first ? second : first);
  }
  return judge.judgement();
}

int count(Verdict wanted, double slowness, int times, const VerdictRules& rules = {}) {
  int found = 0;
  for (int i = 0; i < times; ++i) {
    found += measured(slowness, static_cast<uint64_t>(1000 + i), rules).verdict == wanted ? 1 : 0;
  }
  return found;
}

TEST(CheckVerdict, TheSameOperationTwiceDoesNotFail) {
  EXPECT_LE(count(Verdict::kFail, 1, 100), 2);
  EXPECT_GE(count(Verdict::kPass, 1, 100), 90);
}

TEST(CheckVerdict, AnOperationSlowedBy30PercentIsFound) {
  EXPECT_GE(count(Verdict::kFail, 1.3, 100), 95);
  EXPECT_EQ(count(Verdict::kPass, 1.3, 100), 0);
}

TEST(CheckVerdict, AFasterOperationPasses) { EXPECT_GE(count(Verdict::kPass, 0.7, 100), 98); }

// The self-test of `longshore check`, by simulated ranks.
struct SelfTestCounts {
  int same_failed = 0;
  int slowed_found = 0;
  int slowed_passed = 0;
};

SelfTestCounts self_test_by_ranks(int ranks, double second_slowness = 1) {
  SelfTestCounts counts;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const auto same = measured_by_ranks(ranks, 1, seed, second_slowness).verdict;
    const auto slowed = measured_by_ranks(ranks, 1.3, 1000 + seed, second_slowness).verdict;
    counts.same_failed += same == Verdict::kFail ? 1 : 0;
    counts.slowed_found += slowed == Verdict::kFail ? 1 : 0;
    counts.slowed_passed += slowed == Verdict::kPass ? 1 : 0;
  }
  return counts;
}

TEST(CheckVerdict, TheSelfTestIsGoodOverSeveralRanks) {
  for (const int ranks : {1, 2, 4}) {
    const auto counts = self_test_by_ranks(ranks);
    EXPECT_LE(counts.same_failed, 2) << ranks;
    EXPECT_GE(counts.slowed_found, 95) << ranks;
    EXPECT_EQ(counts.slowed_passed, 0) << ranks;
  }
}

// What comes second takes half as long again: the random order makes nothing of it.
TEST(CheckVerdict, TheOrderOfRunsDoesNotMatter) {
  const auto counts = self_test_by_ranks(2, 1.5);
  EXPECT_LE(counts.same_failed, 2);
  EXPECT_GE(counts.slowed_found, 95);
}

// The counts above can tell a bad judge: one that always runs A second calls the same operation
// slower than itself.
TEST(CheckVerdict, AFixedOrderWouldBeFoundOut) {
  int failed = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    NoisyRanks clocks(2, seed);
    PairedJudge judge(VerdictRules{});
    while (!judge.done()) {
      const double b = clocks.time(1);
      judge.add(clocks.time(1.5), b);
    }
    failed += judge.judgement().verdict == Verdict::kFail ? 1 : 0;
  }
  EXPECT_GE(failed, 95);
}

// A run that cannot be made ends the trial, and no more are made.
TEST(CheckTrial, AFailedRunEndsTheTrial) {
  std::mt19937_64 order(1);
  int made = 0;
  const auto best =
      best_of_pairs(4, order, [&](bool) { return ++made < 4 ? std::optional(1.0) : std::nullopt; });
  EXPECT_FALSE(best);
  EXPECT_EQ(made, 4);
}

TEST(CheckTrial, TheBestOfEachSideCounts) {
  std::mt19937_64 order(1);
  double a = 10;
  double b = 20;
  int a_runs = 0;
  const auto best = best_of_pairs(4, order, [&](bool is_a) {
    a_runs += is_a ? 1 : 0;
    return std::optional(is_a ? a-- : b--);
  });
  ASSERT_TRUE(best);
  EXPECT_EQ(a_runs, 4);
  EXPECT_EQ(best->a_seconds, 7);
  EXPECT_EQ(best->b_seconds, 17);
}

TEST(CheckTrial, AWideIntervalBringsMoreRuns) {
  Judgement judged;
  EXPECT_EQ(runs_after_look(4, judged), 4);  // before the first look
  judged.low = 1;
  judged.high = 1.2;
  EXPECT_EQ(runs_after_look(4, judged), 4);
  judged.high = 1.3;
  EXPECT_EQ(runs_after_look(4, judged), 8);
  EXPECT_EQ(runs_after_look(16, judged), 16);
}

// Just at the tolerance, each error is likely at most e (here 0.01) over all looks: of 200, 2 are
// expected at the most; more than 9 would have a probability of 0.00003.
TEST(CheckVerdict, LookingOftenDoesNotMakeErrorsLikely) {
  EXPECT_LE(count(Verdict::kFail, 1.1, 200), 9);
  EXPECT_LE(count(Verdict::kPass, 1.1, 200), 9);
}

TEST(CheckVerdict, TheToleranceIsSettable) {
  EXPECT_GE(count(Verdict::kPass, 1.3, 50, {0.6, 0.01}), 45);
  EXPECT_GE(count(Verdict::kFail, 1.3, 50, {0.05, 0.01}), 48);
}

TEST(CheckVerdict, TheIntervalHoldsTheTruth) {
  int holds = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto judged = measured(1.3, seed);
    holds += judged.low <= 1.3 && 1.3 <= judged.high ? 1 : 0;
    EXPECT_LE(judged.low, judged.ratio);
    EXPECT_LE(judged.ratio, judged.high);
  }
  EXPECT_GE(holds, 190);
}

TEST(CheckVerdict, UnmistakableAtTheFirstLook) {
  PairedJudge judge(VerdictRules{});
  for (int i = 0; i < look_schedule().front() - 1; ++i) {
    judge.add(2, 1);
    EXPECT_FALSE(judge.done());
    EXPECT_EQ(judge.judgement().high, 0);  // no interval before the first look
  }
  EXPECT_EQ(judge.trials_to_next_look(), 1);
  judge.add(2, 1);
  EXPECT_TRUE(judge.decided());
  EXPECT_EQ(judge.trials_to_next_look(), 0);
  const auto judged = judge.judgement();
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_DOUBLE_EQ(judged.ratio, 2);
  EXPECT_DOUBLE_EQ(judged.low, 2);
  EXPECT_EQ(judged.trials, look_schedule().front());
  EXPECT_EQ(judged.a_seconds, 2);
  EXPECT_EQ(judged.b_seconds, 1);
}

TEST(CheckVerdict, NothingChangesAfterADecision) {
  PairedJudge judge(VerdictRules{});
  for (int i = 0; i < 50; ++i) {
    judge.add(1, i < 8 ? 1 : 100);
  }
  EXPECT_EQ(judge.judgement().verdict, Verdict::kPass);
  EXPECT_EQ(judge.judgement().trials, 8);
}

TEST(CheckVerdict, AtTheLimitItEndsUndecided) {
  PairedJudge judge(VerdictRules{});
  int trials = 0;
  for (; !judge.done(); ++trials) {
    const int size = 1 + trials / 2 % 10;
    judge.add(1.1 * std::pow(1.02, trials % 2 == 0 ? size : -size), 1);
  }
  EXPECT_EQ(trials, look_schedule().back());
  EXPECT_EQ(judge.judgement().verdict, Verdict::kUndecided);
}

// Ten values, 2.5% on each side: the table of the signed-rank test has 8 as the greatest sum that
// is that unlikely, so that the 9th smallest and 9th greatest of the 55 Walsh averages are the
// ends.
TEST(SignedRankInterval, AgreesWithTheTables) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto interval = signed_rank_interval(values, 0.025);
  // Walsh averages from below: 1, 1.5, 2, 2, 2.5, 2.5, 3, 3, 3, ...
  EXPECT_DOUBLE_EQ(interval.low, 3);
  EXPECT_DOUBLE_EQ(interval.high, 8);
  EXPECT_DOUBLE_EQ(interval.centre, 5.5);
}

TEST(SignedRankInterval, FewValuesGiveTheirWholeRange) {
  const auto interval = signed_rank_interval({3, 1, 2}, 0.001);
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 3);
  EXPECT_DOUBLE_EQ(interval.centre, 2);
}

TEST(SignedRankInterval, OneWildValueDoesNotMoveItFar) {
  std::vector<double> values(20, 1.0);
  values.push_back(1e9);
  const auto interval = signed_rank_interval(values, 0.005);
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.centre, 1);
  EXPECT_DOUBLE_EQ(interval.high, 1);
}

}  // namespace
}  // namespace longshore::cli
