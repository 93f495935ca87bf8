#include "bench.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/bench_plot.h"
#include "lib/bench_results.h"
#include "lib/bench_runner.h"
#include "lib/bench_summary.h"
#include "lib/bench_table.h"
#include "lib/bench_text.h"
#include "lib/machine.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSomethingWrong = 1;
constexpr int kUsageError = 2;
constexpr int kNotFound = 127;
constexpr int kInterrupted = 130;
constexpr size_t kSetsWidth = 30;  // "collective,independent,cluster"

constexpr const char* kHelp =
    R"(Measure MPI-IO on the patterns of the papers: the MPI's own (stock), Longshore, and plain
pwrite/pread of as many bytes (limit), in turn, on each MPI. Every byte is checked.

  longshore bench --set collective                   collective calls: 1320 launches
  longshore bench --set independent                  independent calls: 1440 launches
  longshore bench btio_a tile_256 --quick            two of them, small
  longshore bench flash -n 4 --dir /scratch          on another file system
  longshore bench tile_1m --compare longshore --sweep cb_buffer_size=1048576,16777216
  longshore bench --set cluster --launcher "cluster/mpirun --mpi {mpi}" --dir /shared
  longshore bench --list                             what workloads there are

The table has MB/s (medians) and the ratios of Longshore to stock and to the limit. Timed is from a
common start after the open to the end of the close, on the slowest rank; the file is new for each
write, and a read may find it in the page cache (not with --cold). docs/bench.md has more.)";

constexpr const char* kExitCodes = R"(Exit codes:
  0    everything ran and every byte was right
  1    bytes were wrong, or Longshore failed
  2    the command line, or the file to go on with, is wrong, or --json or --plot cannot be written
  127  a program is missing
  130  interrupted)";

struct BenchOptions {
  BenchRequest request;
  std::string json;
  std::string plot;
  bool resume = false;
  bool list = false;
};

int exit_code(const Error& error) {
  std::cerr << "longshore: " << error.detail << std::endl;
  switch (error.code) {
    case ErrorClass::kInvalidArgument:
    case ErrorClass::kNotSame:
    case ErrorClass::kBadFile: return kUsageError;
    case ErrorClass::kNoSuchFile: return kNotFound;
    case ErrorClass::kOther: return kInterrupted;
    default: return kSomethingWrong;
  }
}

void print_list(const std::vector<BenchWorkload>& all) {
  size_t width = 0;
  for (const auto& one : all) {
    width = std::max(width, one.name.size());
  }
  for (const auto& one : all) {
    std::string sets;
    for (const auto& set : one.sets) {
      sets += (sets.empty() ? "" : ",") + set;
    }
    std::cout << padded(one.name, width) << right(std::to_string(one.bytes >> 20), 5) << " MiB  "
              << padded(sets, kSetsWidth) << "  " << one.about << '\n';
  }
}

int list_all(const System& system) {
  for (const auto mpi : {MpiKind::kOpenMpi, MpiKind::kMpich}) {
    const auto found = find_bench_mpi(system, mpi);
    const auto all = found ? list_workloads(system, *found) : fail(found.error());
    if (all) {
      print_list(*all);
      return 0;
    }
    std::cerr << "longshore: " << all.error().detail << std::endl;
  }
  return kNotFound;
}

// What an earlier run left in the file; nothing if there is no file.
Result<std::vector<RunRecord>> resumed(const BenchOptions& options, const BenchPlan& plan,
                                       const Machine& machine) {
  if (!options.resume) {
    return std::vector<RunRecord>{};
  }
  if (options.json.empty()) {
    return fail(ErrorClass::kInvalidArgument, "--resume needs --json FILE");
  }
  std::ifstream file(options.json);
  if (!file) {
    return std::vector<RunRecord>{};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto records = results_of_json(text, plan, machine);
  if (!records) {
    return fail(records.error().code, options.json + ": " + records.error().detail);
  }
  return records;
}

Machine machine_of(const BenchPlan& plan) {
  Machine machine = this_machine();
  for (const auto& one : plan.cases) {
    const std::pair found(one.dir.label, file_system_of(one.dir.path));
    auto& known = machine.file_systems;
    if (std::find(known.begin(), known.end(), found) == known.end()) {
      known.push_back(found);
    }
  }
  return machine;
}

void remove_folders(const BenchPlan& plan) {
  for (const auto& one : plan.cases) {
    std::error_code ignored;
    fs::remove(one.dir.path, ignored);
  }
}

Status check_outputs(const BenchOptions& options, const System& system) {
  if (!options.json.empty()) {
    if (auto ok = check_replaceable("--json", options.json); !ok) {
      return ok;
    }
  }
  return options.plot.empty() ? Status{} : check_plot(system, options.plot);
}

int finish(const BenchOptions& options, const System& system, BenchHost& host,
           const std::vector<RunRecord>& records) {
  std::cout << bench_report(records) << std::flush;
  if (!options.plot.empty()) {
    if (const auto ok = draw_plot(system, host, records, options.plot); !ok) {
      return exit_code(ok.error());
    }
  }
  return all_well(records) ? 0 : kSomethingWrong;
}

int bench(const BenchOptions& options) {
  const RealSystem system;
  RealBenchHost host;
  if (options.list) {
    return list_all(system);
  }
  const auto plan = plan_bench(system, options.request);
  if (!plan) {
    return exit_code(plan.error());
  }
  if (const auto ok = check_outputs(options, system); !ok) {
    return exit_code(ok.error());
  }
  for (const auto& remark : plan->remarks) {
    std::cerr << "bench: " << remark << std::endl;
  }
  const auto machine = machine_of(*plan);
  auto records = resumed(options, *plan, machine);
  if (!records) {
    return exit_code(records.error());
  }
  BenchProgress progress(std::cerr, isatty(STDERR_FILENO) != 0, [&] { return host.now(); });
  BenchRunner runner(system, host, progress);
  const auto save = [&]() -> Status {
    return options.json.empty()
               ? Status{}
               : host.write_file(options.json, results_to_json(*plan, machine, *records));
  };
  const auto ran = runner.run(*plan, *records, save);
  remove_folders(*plan);
  if (!ran) {
    (void)save();
    return exit_code(ran.error());
  }
  return finish(options, system, host, *records);
}

// May be given several times, each time with one value; values do not run into the workloads.
CLI::Option* repeatable(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

// Of several, the last counts.
void single(CLI::Option* option) { option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast); }

void add_lists(CLI::App& command, BenchRequest& request) {
  const auto list = [](CLI::Option* option) { repeatable(option)->delimiter(','); };
  command.add_option("workloads", request.names, "names of workloads (--list shows them)");
  list(command.add_option("--mpi", request.mpis, "openmpi,mpich (default: those that are there)"));
  list(command.add_option("--compare", request.compare,
                          "of stock,longshore,limit (default: all three)"));
  list(command.add_option("-n,--ranks", request.ranks,
                          "numbers of ranks (default 2,4; BT-IO, which needs squares, 4,9)"));
  list(command.add_option(
      "--dir", request.dirs,
      "where the files go (default: below the current directory, and /dev/shm)"));
  repeatable(command.add_option("--hint", request.hints,
                                "key=value for stock and Longshore (repeatable)"));
  repeatable(command.add_option("--sweep", request.sweeps,
                                "key=v1,v2: a variant of Longshore for each combination of values "
                                "(repeatable)"));
}

void add_numbers(CLI::App& command, BenchRequest& request) {
  single(command.add_option("--set", request.set,
                            "a named set of workloads: collective, independent or cluster"));
  single(
      command.add_option("--launcher", request.launcher,
                         "words that start ranks instead of mpirun, {mpi} standing for the MPI's "
                         "name; -n and the program follow, and -x or -genv for Longshore"));
  single(command.add_option("--repetitions", request.repetitions, "of each launch (default 5)"));
  single(command.add_option("--scale", request.scale,
                            "times the default number of bytes (default 1)"));
  single(command.add_option("--timeout", request.timeout_seconds,
                            "seconds for a launch (default 60); then it is killed, and the variant "
                            "not tried again with the workload"));
  command.add_flag("--independent", request.independent,
                   "the independent form of calls that are collective");
  command.add_flag("--cold", request.cold,
                   "drop the file from the page cache before it is read (no use on /dev/shm)");
  command.add_flag("--quick", request.quick,
                   "2 repetitions, a quarter of the bytes, at most 4 ranks, /dev/shm only, where "
                   "nothing else is said");
  command.add_flag("--corrupt", request.corrupt)->group("");  // for tests: not in the help
}

void add_results(CLI::App& command, BenchOptions& options) {
  single(
      command.add_option("--json", options.json, "keep every launch and the medians in this file"));
  command.add_flag("--resume", options.resume, "go on where the --json file ends");
  single(
      command.add_option("--plot", options.plot, "draw bars to FILE.svg or FILE.png (by gnuplot)"));
  command.add_flag("--list", options.list, "the workloads there are");
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", kHelp);
  command->footer(kExitCodes);
  add_lists(*command, options->request);
  add_numbers(*command, options->request);
  add_results(*command, *options);
  command->callback([options] { std::exit(bench(*options)); });
}

}  // namespace longshore::cli
