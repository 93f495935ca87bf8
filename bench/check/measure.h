// measure.h - measures cases until each is decided or the time is over.
//
// In rounds: each round visits every case that is not decided and makes as many trials as its next
// look needs. Time that easy cases do not need goes to the hard ones, and the trials of a hard case
// are spread over the whole run. A visit makes the file anew; the first also checks that A and B
// move the right bytes and finds out how many calls a trial needs to be timed well.
//
// How a trial is made of runs says lib/check_trial.h.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "check/options.h"
#include "check/rule.h"
#include "lib/check_trial.h"
#include "lib/check_verdict.h"

namespace longshore::check {

struct Case {
  const Rule* rule = nullptr;
  Place place;
  cli::PairedJudge judge;
  int runs = cli::kFirstRuns;  // of each side in a trial
  bool begun = false;
  std::string skipped;  // why it cannot be measured: a call that failed, in MPI's words
  std::string wrong;    // what is wrong with the bytes that A or B moved

  [[nodiscard]] bool done() const { return judge.done() || !skipped.empty() || !wrong.empty(); }
};

// The rules, directions and sizes that the options ask for; or the self-test's cases.
[[nodiscard]] std::vector<Case> make_cases(const Options& options);

// Collective. `told` is called on rank 0 for each case when it is done, and at the end for those
// that are not; `visited` before each visit, with the number of cases that are done.
struct Listeners {
  std::function<void(const Case&)> told;
  std::function<void(const Case&, size_t done)> visited;
};
void measure(const Options& options, std::vector<Case>& cases, const Listeners& listeners);

}  // namespace longshore::check
