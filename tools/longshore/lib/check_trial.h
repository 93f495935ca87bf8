// lib/check_trial.h - how a trial of A and B is made of single runs.
//
// Runs come in pairs of random order, and the best of each side counts: what others do on the
// machine only ever adds time. How a run is timed is the caller's: over real ranks it is
// longshore-check, by a simulated clock the unit tests.
#pragma once
#include <functional>
#include <optional>
#include <random>

#include "lib/check_verdict.h"

namespace longshore::cli {

inline constexpr int kFirstRuns = 4;  // of each side in a trial, before the first look

struct BestTimes {
  double a_seconds = 0;
  double b_seconds = 0;
};

// The seconds that one run of A, or of B, took; nothing if it could not be made.
using TimedRun = std::function<std::optional<double>(bool is_a)>;

// One trial of `runs` pairs; nothing, and no more runs, once one could not be made. Ranks that hand
// in generators of the same state make the same runs. REQUIRES: runs > 0.
[[nodiscard]] std::optional<BestTimes> best_of_pairs(int runs, std::mt19937_64& random,
                                                     const TimedRun& timed_run);

// How many runs the trials after a look have: more where the interval is wide, which depends on
// the noise, not on which side is ahead.
[[nodiscard]] int runs_after_look(int runs, const Judgement& judged);

}  // namespace longshore::cli
