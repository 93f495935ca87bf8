#include "lib/check_trial.h"

#include <algorithm>
#include <limits>

namespace longshore::cli {
namespace {

constexpr int kMostRuns = 16;
constexpr double kWide = 1.25;  // an interval's upper end to its lower: the machine is noisy

}  // namespace

std::optional<BestTimes> best_of_pairs(int runs, std::mt19937_64& random,
                                       const TimedRun& timed_run) {
  constexpr double kNever = std::numeric_limits<double>::max();
  BestTimes best{kNever, kNever};
  for (int i = 0; i < runs; ++i) {
    const bool a_first = (random() & 1U) != 0;
    for (const bool is_a : {a_first, !a_first}) {
      const auto seconds = timed_run(is_a);
      if (!seconds) {
        return std::nullopt;
      }
      double& side = is_a ? best.a_seconds : best.b_seconds;
      side = std::min(side, *seconds);
    }
  }
  return best;
}

int runs_after_look(int runs, const Judgement& judged) {
  return judged.high > kWide * judged.low ? std::min(kMostRuns, 2 * runs) : runs;
}

}  // namespace longshore::cli
