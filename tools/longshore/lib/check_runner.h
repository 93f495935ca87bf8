// lib/check_runner.h - makes the launches of `longshore check` and gathers what they say.
#pragma once
#include <string>

#include "core/result.h"
#include "lib/bench_host.h"
#include "lib/check_progress.h"
#include "lib/check_setup.h"
#include "lib/check_types.h"
#include "lib/system.h"

namespace longshore::cli {

class CheckRunner {
 public:
  // All must outlive the runner.
  CheckRunner(const System& system, BenchHost& host, CheckProgress& progress)
      : system_(system), host_(host), progress_(progress) {}

  // Adds a record for each line of the program to `results`, and a mishap for each launch that
  // crashed, hung or ran on another MPI-IO than it should; what it measured before counts. Fails if
  // a launch cannot be planned or its folder not be made; with kOther if interrupted.
  [[nodiscard]] Status run(const CheckPlan& plan, CheckResults& results);

 private:
  [[nodiscard]] Status launch(const CheckPlan& plan, const CheckLaunch& one, CheckResults& results);

  const System& system_;
  BenchHost& host_;
  CheckProgress& progress_;
};

// The command line and environment of a launch. Fails as plan_launch() of lib/launch.h does.
[[nodiscard]] Result<ProcessRequest> check_command(const System& system, const CheckPlan& plan,
                                                   const CheckLaunch& one);

}  // namespace longshore::cli
