#include "run.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lib/launch.h"
#include "lib/shell_words.h"
#include "lib/supervise.h"
#include "lib/system.h"
#include "lib/watch.h"

namespace longshore::cli {
namespace {

constexpr int kUsageError = 2;
constexpr int kRefused = 125;
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

constexpr const char* kHelp =
    R"(Run an MPI program with Longshore doing its MPI-IO. The program is not changed:
liblongshore.so is preloaded into the ranks, and only there.

  longshore run mpirun -n 4 ./a.out             Open MPI or MPICH: seen from the mpirun
  longshore run timeout 60 mpiexec -n 4 ./a.out wrappers may stand in front
  longshore run --mpi mpich srun -n 4 python3 x.py
  longshore run ./a.out                         one rank, without a launcher
  longshore run --stats mpirun -n 4 ./a.out     what its MPI-IO cost, after it has ended
  longshore run --stats=s.json --trace t.json mpirun -n 4 ./a.out

What --stats and --trace need is written by rank 0 of each file, on its host: the named files, and
the current folder if none is named, must be on a file system that this command sees too.)";

constexpr const char* kExitCodes = R"(Exit codes:
  2         the command line is wrong
  125       the launcher belongs to neither MPI, or the library does not fit, or a report cannot be
            written
  126, 127  the program cannot be executed, is not there, or there is no library
  other     the program's)";

class RunFormatter : public CLI::Formatter {
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: longshore run [options] [--] command [arguments...]\n";
  }
};

struct RunOptions {
  LaunchRequest request;
  WatchRequest watch;
  std::string stats;  // "true" without a file
  std::string mpi_name;
  bool dry_run = false;
};

void describe(const LaunchPlan& plan, std::ostream& out) {
  out << "longshore: " << name(plan.mpi) << ", " << plan.library.string() << "\nlongshore:";
  for (const auto& [variable, value] : plan.environment) {
    out << ' ' << variable << '=' << shell_word(value);
  }
  for (const auto& word : plan.command) {
    out << ' ' << shell_word(word);
  }
  out << std::endl;
}

int exit_code(ErrorClass why) {
  switch (why) {
    case ErrorClass::kInvalidArgument: return kUsageError;
    case ErrorClass::kNoSuchFile: return kNotFound;
    case ErrorClass::kAccess: return kCannotExecute;
    default: return kRefused;
  }
}

// Returns only if the program could not be started.
int execute(const LaunchPlan& plan) {
  for (const auto& [variable, value] : plan.environment) {
    setenv(variable.c_str(), value.c_str(), 1);
  }
  auto words = plan.command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int why = errno;
  std::cerr << "longshore: " << words[0] << ": " << std::strerror(why) << std::endl;
  return why == ENOENT ? kNotFound : kCannotExecute;
}

// Runs the program and tells of it; ends as it ended.
int execute_watched(const LaunchPlan& plan, const Watch& watch) {
  const Ending ending = supervise(plan.command, plan.environment);
  if (ending.cannot_execute != 0) {
    watch.discard();
    std::cerr << "longshore: " << plan.command[0] << ": " << std::strerror(ending.cannot_execute)
              << std::endl;
    return ending.cannot_execute == ENOENT ? kNotFound : kCannotExecute;
  }
  if (const auto told = watch.end(std::cerr); !told) {
    std::cerr << "longshore: " << told.error().detail << std::endl;
    return ending.exit_code == 0 ? kRefused : ending.exit_code;
  }
  if (ending.signal != 0) {
    std::signal(ending.signal, SIG_DFL);
    raise(ending.signal);
  }
  return ending.exit_code;
}

int run_watched(RunOptions& options) {
  const auto watch = Watch::begin(options.watch);
  if (!watch) {
    std::cerr << "longshore: " << watch.error().detail << std::endl;
    return kRefused;
  }
  options.request.environment = watch->environment();
  const auto plan = plan_launch(RealSystem{}, options.request);
  if (!plan) {  // cannot be: it was made before
    return kRefused;
  }
  if (options.request.verbose) {
    describe(*plan, std::cerr);
  }
  return execute_watched(*plan, *watch);
}

int run(RunOptions& options) {
  const auto& command = options.request.command;
  if (!command.empty() && command.front().starts_with("-")) {
    throw CLI::ExtrasError({command.front()});
  }
  options.request.mpi = mpi_of_name(options.mpi_name);
  const auto plan = plan_launch(RealSystem{}, options.request);
  if (!plan) {
    std::cerr << "longshore: " << plan.error().detail << std::endl;
    return exit_code(plan.error().code);
  }
  if (options.dry_run) {
    describe(*plan, std::cout);
    return 0;
  }
  options.watch.stats = !options.stats.empty();
  options.watch.stats_file = options.stats == "true" ? "" : options.stats;
  if (options.watch.any()) {
    return run_watched(options);
  }
  if (options.request.verbose) {
    describe(*plan, std::cerr);
  }
  return execute(*plan);
}

bool takes_value(const std::string& option) {
  return option == "--mpi" || option == "--hint" || option == "--trace";
}

}  // namespace

void drop_separator(std::vector<std::string>& words) {
  size_t i = 1;
  while (i < words.size() && words[i].starts_with("-") && words[i] != "--") {
    i += takes_value(words[i]) ? 2 : 1;
  }
  if (i < words.size() && words[i] == "--") {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", kHelp);
  command->formatter(std::make_shared<RunFormatter>());
  command->add_flag("-v,--verbose", options->request.verbose,
                    "say what is run, and let the library say what it decides");
  command->add_flag("--dry-run", options->dry_run, "print the command line and run nothing");
  command->add_option("--mpi", options->mpi_name, "openmpi or mpich, where it cannot be seen")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  command
      ->add_option("--hint", options->request.hints,
                   "key=value: an MPI-IO hint for every file the program opens (repeatable)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag(
      "--stats", options->stats,
      "after the program: files, bytes, calls, time, choices and hints that may help, "
      "on standard error; --stats=FILE also keeps a line of JSON for each file");
  command->add_option("--trace", options->watch.trace_file,
                      "FILE: a timeline of all ranks for Perfetto and chrome://tracing");
  command->footer(kExitCodes);
  command->prefix_command();
  command->callback([options, command] {
    options->request.command = command->remaining();
    std::exit(run(*options));
  });
}

}  // namespace longshore::cli
