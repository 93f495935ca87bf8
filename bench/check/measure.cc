#include "check/measure.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "check/reference.h"
#include "check/registry.h"
#include "check/trial.h"
#include "host_clock.h"
#include "lib/check_trial.h"

namespace longshore::check {
namespace {

constexpr double kRunSeconds = 0.0005;                  // what both sides should take at least,
constexpr double kLongRunSeconds = 0.004;               // or one of them
constexpr double kGrowth = 8;                           // of the number of calls at a step
constexpr int64_t kMostTrialBytes = int64_t{16} << 20;  // if there is more than one call
constexpr int64_t kSelfTestBytes = 4096;
constexpr double kUnfairShare = 3;  // of the time that is left for a case in the first round

bool wanted(const Options& options, const std::string& number) {
  const auto& rules = options.rules;
  const std::string alias = number == "2" ? "3" : number;  // one rule over two lines of the paper
  return rules.empty() || std::find(rules.begin(), rules.end(), number) != rules.end() ||
         std::find(rules.begin(), rules.end(), alias) != rules.end();
}

Case make_case(const Rule& rule, Direction direction, int64_t bytes, const Options& options) {
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  place.direction = direction;
  place.bytes = bytes;
  return {&rule, place, cli::PairedJudge(options.verdict), cli::kFirstRuns, false, "", ""};
}

class Measurement {
 public:
  Measurement(const Options& options, const Listeners& listeners)
      : options_(options),
        listeners_(listeners),
        random_(options.seed),
        path_(options.dir + "/longshore-check.dat"),
        end_(host_seconds() + options.budget_seconds) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  void run(std::vector<Case>& cases) {
    std::vector<Case*> open;
    for (auto& one : cases) {
      open.push_back(&one);
    }
    for (bool first = true; !open.empty() && agreed(host_seconds() < end_); first = false) {
      round(open, first, cases.size());
      std::erase_if(open, [](const Case* one) { return one->done(); });
      if (options_.verify_only) {
        return;
      }
    }
    for (const auto* one : open) {
      tell(*one);
    }
  }

 private:
  // What rank 0 says. Collective.
  static int told_by_root(int value) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return value;
  }
  static bool agreed(bool value) { return told_by_root(value ? 1 : 0) == 1; }

  void tell(const Case& one) const {
    if (rank_ == 0) {
      listeners_.told(one);
    }
  }

  void round(const std::vector<Case*>& open, bool first, size_t all) {
    size_t left = open.size();
    for (auto* one : open) {
      const double now = host_seconds();
      const double share = (end_ - now) / static_cast<double>(left);
      if (!agreed(now < end_) && !options_.verify_only) {
        return;
      }
      if (rank_ == 0) {
        listeners_.visited(*one, all - left);
      }
      visit(*one, std::min(end_, now + (first ? kUnfairShare * share : end_)));
      remove_file(path_);
      if (one->done() || options_.verify_only) {
        tell(*one);
      }
      --left;
    }
  }

  void visit(Case& one, double until) {
    if (!one.begun) {
      one.begun = true;
      remove_file(path_);  // that a run which was killed left behind
      verify(one);
      remove_file(path_);
      if (one.done() || options_.verify_only) {
        return;
      }
      settle_calls(one);
    }
    if (!one.done()) {
      warm_up(one);
    }
    const int trials = one.judge.trials_to_next_look();
    for (int i = 0; i < trials && !one.done(); ++i) {
      if (!agreed(host_seconds() < until)) {
        return;
      }
      trial_of_both(one);
    }
    one.runs = cli::runs_after_look(one.runs, one.judge.judgement());
  }

  std::vector<std::byte>& memory_for(const Case& one) {
    memory_.resize(static_cast<size_t>(one.rule->memory_bytes(one.place)));
    return memory_;
  }

  double side(Case& one, Side side) {
    const auto result = run_trial(*one.rule, one.place, side, path_, memory_for(one));
    if (!result.error.empty()) {
      one.skipped = result.error;
    }
    return result.seconds;
  }

  // Both sides, each on a file of its own, judged by the reference.
  void verify(Case& one) {
    for (const auto which : {Side::kA, Side::kB}) {
      one.place.calls = std::min(2, most_calls(one));
      auto& memory = memory_for(one);
      const bool reads = one.place.direction == Direction::kRead;
      if (reads) {
        std::fill(memory.begin(), memory.end(), std::byte{0xee});
        write_file(*one.rule, one.place, which, path_);
        if (options_.corrupt) {
          flip_byte(*one.rule, one.place, path_);
        }
      } else {
        fill_memory(*one.rule, one.place, memory);
      }
      side(one, which);
      if (options_.corrupt && !reads && one.skipped.empty()) {
        flip_byte(*one.rule, one.place, path_);
      }
      if (!one.skipped.empty()) {
        return;
      }
      const auto wrong = judge(*one.rule, one.place, which, path_, memory);
      if (!wrong.empty()) {
        one.wrong = (which == Side::kA ? "A: " : "B: ") + wrong;
        return;
      }
      remove_file(path_);
    }
  }

  static int most_calls(const Case& one) {
    const int64_t by_bytes = std::max<int64_t>(1, kMostTrialBytes / one.place.bytes);
    return static_cast<int>(std::min<int64_t>(by_bytes, one.rule->facts().most_calls));
  }

  // So many calls that the faster side's take long enough to be timed, or the slower side's so long
  // that the ratio is plain. Times are the same on all ranks, and so is what comes out.
  void settle_calls(Case& one) {
    const int most = most_calls(one);
    one.place.calls = 1;
    while (!one.done()) {
      warm_up(one);
      double a = std::numeric_limits<double>::max();
      double b = a;
      for (int i = 0; i < cli::kFirstRuns; ++i) {
        a = std::min(a, side(one, Side::kA));
        b = std::min(b, side(one, Side::kB));
      }
      const double enough =
          std::max(std::min(a, b) / kRunSeconds, std::max(a, b) / kLongRunSeconds);
      if (enough >= 1 || one.place.calls >= most) {
        return;
      }
      const double factor = std::clamp(1 / std::max(enough, 1e-6), 2.0, kGrowth);
      one.place.calls = std::min(most, static_cast<int>(one.place.calls * factor));
    }
  }

  // The file is there and in the page cache, the memory filled.
  void warm_up(Case& one) {
    auto& memory = memory_for(one);
    fill_memory(*one.rule, one.place, memory);
    if (one.rule->facts().new_file) {
      return;
    }
    write_file(*one.rule, one.place, Side::kA, path_);
    side(one, Side::kB);
  }

  // All ranks draw alike, and see the same times and errors.
  void trial_of_both(Case& one) {
    const auto best = cli::best_of_pairs(one.runs, random_, [&](bool is_a) {
      const double seconds = side(one, is_a ? Side::kA : Side::kB);
      return one.skipped.empty() ? std::optional(seconds) : std::nullopt;
    });
    if (best) {
      one.judge.add(best->a_seconds, best->b_seconds);
    }
  }

  const Options& options_;
  const Listeners& listeners_;
  std::mt19937_64 random_;
  std::string path_;
  double end_;
  int rank_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace

std::vector<Case> make_cases(const Options& options) {
  std::vector<Case> cases;
  for (int i = 0; i < options.self_test; ++i) {
    for (const auto& rule : self_rules()) {
      cases.push_back(make_case(*rule, Direction::kWrite, kSelfTestBytes, options));
    }
  }
  for (const auto& rule : all_rules()) {
    const auto& facts = rule->facts();
    if (options.self_test > 0 || !wanted(options, facts.number) ||
        (options.quick && !facts.in_quick)) {
      continue;
    }
    for (const auto direction : facts.directions) {
      for (const int64_t bytes : options.sizes) {
        if (bytes <= facts.most_bytes) {
          cases.push_back(make_case(*rule, direction, bytes, options));
        }
      }
    }
  }
  return cases;
}

void measure(const Options& options, std::vector<Case>& cases, const Listeners& listeners) {
  Measurement(options, listeners).run(cases);
}

}  // namespace longshore::check
