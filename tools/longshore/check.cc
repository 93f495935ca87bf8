#include "check.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "lib/check_progress.h"
#include "lib/check_results.h"
#include "lib/check_runner.h"
#include "lib/check_setup.h"
#include "lib/check_table.h"

namespace longshore::cli {
namespace {

constexpr int kRuleFails = 1;
constexpr int kUsageError = 2;
constexpr int kNotMeasured = 3;
constexpr int kNotFound = 127;
constexpr int kInterrupted = 130;
constexpr int kSelfTestTimes = 100;
constexpr double kSelfTestSeconds = 300;

constexpr const char* kHelp =
    R"(Measure whether an MPI-IO keeps the rules of Gropp et al. 2008: an operation should be no slower
than another that does the same with other, more general or stronger calls. For any MPI-IO; Longshore
need not be there.

  longshore check                                  stock and Longshore, on each MPI, 2 and 4 ranks
  longshore check --mpi-io stock --mpi mpich       MPICH's own
  longshore check --rules 10,11 --quick            non-contiguous and collective access, in brief
  longshore check --dir /scratch -n 8 --budget 600 -- mpirun --hostfile hosts
  longshore check --self-test                      can verdicts be trusted on this machine, now?

Each rule is measured in interleaved trials until an interval for the ratio of the times decides:
pass, fail, or undecided when the budget ends. docs/check.md says how. Exit code: 0 if no rule fails, 1
if one does or bytes were wrong, 2 if misused or the --json file cannot be written, 3 if a launch did
not end well.)";

struct CheckOptions {
  CheckRequest request;
  std::string json;
  bool self_test = false;
};

int exit_code(const Error& error) {
  std::cerr << "longshore: " << error.detail << std::endl;
  switch (error.code) {
    case ErrorClass::kInvalidArgument: return kUsageError;
    case ErrorClass::kNoSuchFile: return kNotFound;
    case ErrorClass::kOther: return kInterrupted;
    default: return kNotMeasured;
  }
}

// Fewer launches than rules have: one per MPI and MPI-IO, each with time enough.
void settle_self_test(CheckOptions& options) {
  auto& request = options.request;
  request.self_test = kSelfTestTimes;
  if (request.ranks.empty()) {
    request.ranks = {2};
  }
  if (request.mpi_io == "both") {
    request.mpi_io = "stock";
  }
  if (request.mpi == "both") {
    request.mpi = "openmpi";
  }
  if (!request.budget_seconds) {
    request.budget_seconds = kSelfTestSeconds;
  }
}

int finish(const CheckOptions& options, const CheckPlan& plan, const CheckResults& results) {
  bool good = false;
  if (options.self_test) {
    const auto test = self_test_of(results);
    std::cout << self_test_report(test) << std::flush;
    good = test.good();
  } else {
    std::cout << check_report(results, plan.tolerance) << std::flush;
    good = count_of(results).fail == 0;
  }
  if (!good) {
    return kRuleFails;
  }
  return results.mishaps.empty() && !results.records.empty() ? 0 : kNotMeasured;
}

int check(CheckOptions& options) {
  const RealSystem system;
  RealBenchHost host;
  if (options.self_test) {
    settle_self_test(options);
  }
  const auto plan = plan_check(system, options.request);
  if (!plan) {
    return exit_code(plan.error());
  }
  if (!options.json.empty()) {
    if (const auto ok = check_replaceable("--json", options.json); !ok) {
      return exit_code(ok.error());
    }
  }
  for (const auto& remark : plan->remarks) {
    std::cerr << "check: " << remark << std::endl;
  }
  CheckProgress progress(std::cerr, isatty(STDERR_FILENO) != 0, [&] { return host.now(); });
  CheckResults results;
  const auto ran = CheckRunner(system, host, progress).run(*plan, results);
  if (!options.json.empty()) {
    if (const auto ok = host.write_file(options.json, check_to_json(*plan, results)); !ok) {
      return exit_code(ok.error());
    }
  }
  return ran ? finish(options, *plan, results) : exit_code(ran.error());
}

CLI::Option* list(CLI::Option* option) {
  return option->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->delimiter(',');
}

void add_options(CLI::App& command, CheckOptions& options) {
  auto& request = options.request;
  command.add_option("--mpi-io", request.mpi_io, "stock, longshore or both (default both)");
  command.add_option("--mpi", request.mpi, "openmpi, mpich or both (default both)");
  list(command.add_option("-n,--ranks", request.ranks, "numbers of ranks (default 2,4)"));
  list(command.add_option("--dir", request.dirs, "where the file goes (default /dev/shm)"));
  list(command.add_option("--rules", request.rules, "numbers of rules, 1 to 12 (default: all)"));
  list(command.add_option("--sizes", request.sizes,
                          "bytes of a rank in one operation, 512 to 67108864 (default "
                          "512,16384,1048576,8388608)"));
  command.add_option("--tolerance", request.tolerance,
                     "A may take this share of B's time more (default 0.1)");
  command.add_option("--budget", request.budget_seconds,
                     "seconds for everything (default 60 for each launch, with --quick 20)");
  command.add_option("--json", options.json, "keep the results in this file");
  command.add_flag("--quick", request.quick, "2 ranks, two sizes, fewer variants, less time");
  command.add_flag("--self-test", options.self_test,
                   "100 times the same operation twice, and 100 times one slowed by 30%: are the "
                   "verdicts right?");
  command.add_flag("--corrupt", request.corrupt)->group("");  // for tests: not in the help
  command.add_option("launcher", request.launcher,
                     "after --: the mpirun to use, with its options, but without -n");
}

}  // namespace

void add_check_command(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", kHelp);
  add_options(*command, *options);
  command->callback([options] { std::exit(check(*options)); });
}

}  // namespace longshore::cli
