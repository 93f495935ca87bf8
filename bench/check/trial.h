// trial.h - one trial of one side of a rule: open, prepare, transfer, close.
#pragma once
#include <span>
#include <string>

#include "check/rule.h"
#include "check/stopwatch.h"

namespace longshore::check {

struct TrialResult {
  double seconds = 0;  // of the slowest rank: the calls, and the close if they wrote
  std::string error;   // MPI's words where a call failed on some rank; the same on all ranks
};

// Collective. The file is removed before if the rule wants a new one, and stays afterwards.
[[nodiscard]] TrialResult run_trial(const Rule& rule, const Place& place, Side side,
                                    const std::string& path, std::span<std::byte> memory);

// Collective.
void remove_file(const std::string& path);

}  // namespace longshore::check
