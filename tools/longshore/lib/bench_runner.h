// lib/bench_runner.h - runs a benchmark's launches, interleaved.
//
// For each case (workload, ranks, directory), for each repetition, each variant once, the order
// rotated by one with every repetition: with variants A B C the launches are A B C, B C A, C A B. A
// busy moment of the machine thus hits all variants, not one of them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/bench_host.h"
#include "lib/bench_progress.h"
#include "lib/bench_setup.h"
#include "lib/bench_types.h"
#include "lib/system.h"

namespace longshore::cli {

class BenchRunner {
 public:
  // All must outlive the runner.
  BenchRunner(const System& system, BenchHost& host, BenchProgress& progress)
      : system_(system), host_(host), progress_(progress) {}

  // Adds a record per launch to `records`, except for those that have one already, and calls
  // `save` after each case. A launch that goes wrong is a record, not a failure. A variant that
  // exceeded its time with a workload is not launched with it again. Fails if a launch cannot be
  // planned, a folder not be made, or `save` fails; with kOther if interrupted.
  [[nodiscard]] Status run(const BenchPlan& plan, std::vector<RunRecord>& records,
                           const std::function<Status()>& save);

 private:
  [[nodiscard]] Status run_case(const BenchPlan& plan, const BenchCase& where,
                                std::vector<RunRecord>& records);
  [[nodiscard]] Result<RunRecord> launch(const BenchPlan& plan, const BenchCase& where,
                                         const Variant& variant);

  const System& system_;
  BenchHost& host_;
  BenchProgress& progress_;
};

// The command line and environment of one launch. Fails as plan_launch() of lib/launch.h does.
[[nodiscard]] Result<ProcessRequest> bench_command(const System& system, const BenchPlan& plan,
                                                   const BenchCase& where, const Variant& variant);

}  // namespace longshore::cli
