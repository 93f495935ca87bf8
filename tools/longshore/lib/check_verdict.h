// lib/check_verdict.h - is A slower than B? From pairs of times, on a busy machine.
//
// Each trial times A and B next to each other, in random order. Of n trials the logarithms of A/B
// are kept, and Wilcoxon's signed-rank test is turned into an interval for their centre: the means
// of all pairs of values (Walsh averages) are sorted, and so many are cut off at each end as the
// test's exact distribution says. It knows nothing of the noise's shape; and if A and B are the
// same operation, the random order alone makes each sign a fair coin, whatever bursts and drifts
// there are.
//
// The interval is looked at several times, and decides at the first look at which it may. So that
// looking often does not make errors likely, look k has the error e/(k(k+1)) on each side: all
// looks together have at most e.
//
// Example: e = 0.01, first look after 8 trials: 0.005 on each side. The test's sum of ranks is 0
// with probability 1/256 = 0.0039, 0 or 1 with 0.0078: nothing may be cut off, and the interval
// goes from the smallest to the greatest value. With a tolerance of 0.1 it decides "pass" if the
// greatest ratio is at most 1.1, "fail" if the smallest is more.
#pragma once
#include <string_view>
#include <vector>

namespace longshore::cli {

enum class Verdict { kPass, kFail, kUndecided };

// "pass", "fail", "undecided".
[[nodiscard]] std::string_view name(Verdict verdict);

struct VerdictRules {
  double tolerance = 0.1;  // A may take this much more time than B, as a share of B's
  double error = 0.01;     // the most that a wrong pass, or a wrong fail, may be likely
};

struct Judgement {
  Verdict verdict = Verdict::kUndecided;
  int trials = 0;
  double ratio = 0;  // time of A to time of B; 0 without trials
  double low = 0;    // the interval; 0 and 0 before the first look
  double high = 0;
  double a_seconds = 0;  // medians
  double b_seconds = 0;
};

class PairedJudge {
 public:
  explicit PairedJudge(const VerdictRules& rules) : rules_(rules) {}

  // One trial. A look is taken when its time has come; after a decision nothing changes any more.
  // REQUIRES: both are positive.
  void add(double a_seconds, double b_seconds);

  // No more trials are wanted: decided, or the last look is over.
  [[nodiscard]] bool done() const { return decided() || exhausted_; }
  [[nodiscard]] bool decided() const { return state_.verdict != Verdict::kUndecided; }
  // Trials that are missing before the next look; 0 if done.
  [[nodiscard]] int trials_to_next_look() const;
  // The verdict and interval of the last look, the ratio and medians of all trials.
  [[nodiscard]] Judgement judgement() const;

 private:
  void look();

  VerdictRules rules_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> logs_;
  Judgement state_;
  int looks_ = 0;
  bool exhausted_ = false;
};

// Trials at which looks are taken, in order.
[[nodiscard]] const std::vector<int>& look_schedule();

struct Interval {
  double low = 0;
  double centre = 0;
  double high = 0;
};

// The signed-rank interval and estimate for the centre of `values`; the true centre is below or
// above it with a probability of at most `error_per_side` each. From the smallest to the greatest
// value if there are too few for that. REQUIRES: values is not empty.
[[nodiscard]] Interval signed_rank_interval(const std::vector<double>& values,
                                            double error_per_side);

}  // namespace longshore::cli
