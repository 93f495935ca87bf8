#include "lib/bench_setup.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lib/bench_sweep.h"
#include "lib/launcher.h"
#include "lib/library.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kQuickScale = 0.25;

template <typename T>
std::vector<T> or_default(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// Beside the library in an installation, in bin/ of its tree in a build.
Result<fs::path> find_workload_program(const System& system, MpiKind mpi) {
  const auto library = find_library(system, mpi);
  if (!library) {
    return fail(library.error());
  }
  const auto folder = library->parent_path();
  for (const auto& place : {folder.parent_path() / "bin", folder}) {
    if (system.is_file(place / "longshore-workload")) {
      return place / "longshore-workload";
    }
  }
  return fail(ErrorClass::kNoSuchFile,
              folder.string() + ": no longshore-workload in it or in ../bin (is it built?)");
}

Status find_mpis(const System& system, const BenchRequest& request, BenchPlan& plan) {
  std::string why;
  for (const auto& word : or_default(request.mpis, {"openmpi", "mpich"})) {
    const auto mpi = mpi_of_name(word);
    if (!mpi) {
      return fail(ErrorClass::kInvalidArgument, "--mpi " + word + ": openmpi or mpich");
    }
    auto found = find_bench_mpi(system, *mpi);
    if (!found && !request.mpis.empty()) {
      return fail(found.error());
    }
    if (!found) {
      why += (why.empty() ? "" : "\n") + found.error().detail;
      plan.remarks.push_back("without " + word + ": " + found.error().detail);
      continue;
    }
    plan.mpis.push_back(*found);
  }
  if (plan.mpis.empty()) {
    return fail(ErrorClass::kNoSuchFile, why);
  }
  return {};
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string set_names(const std::vector<BenchWorkload>& all) {
  std::vector<std::string> sets;
  for (const auto& one : all) {
    for (const auto& set : one.sets) {
      if (!contains(sets, set)) {
        sets.push_back(set);
      }
    }
  }
  return joined(sets);
}

Result<std::vector<BenchWorkload>> workloads_of_set(const std::vector<BenchWorkload>& all,
                                                    const std::string& set) {
  auto chosen = all;
  std::erase_if(chosen, [&](const BenchWorkload& one) { return !contains(one.sets, set); });
  if (chosen.empty()) {
    return fail(ErrorClass::kInvalidArgument,
                "--set " + set + " is no set; there are " + set_names(all));
  }
  return chosen;
}

Result<std::vector<BenchWorkload>> choose_workloads(const std::vector<BenchWorkload>& all,
                                                    const BenchRequest& request) {
  if (!request.set.empty()) {
    return workloads_of_set(all, request.set);
  }
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const auto& one : all) {
    known.push_back(one.name);
  }
  if (request.names.empty()) {
    return fail(ErrorClass::kInvalidArgument, "say which workloads, or --set with one of " +
                                                  set_names(all) + ": " + joined(known));
  }
  std::vector<BenchWorkload> chosen;
  for (const auto& word : request.names) {
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) {
      return fail(ErrorClass::kInvalidArgument,
                  "'" + word + "' is no workload; there are " + joined(known));
    }
    chosen.push_back(all[static_cast<size_t>(found - known.begin())]);
  }
  return chosen;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool is_square(int ranks) {
  const auto root = std::lround(std::sqrt(ranks));
  return root * root == ranks;
}

std::vector<int> ranks_for(const BenchWorkload& workload, const BenchRequest& request) {
  if (!workload.square) {
    return or_default(request.ranks, {2, 4});
  }
  auto ranks = or_default(request.ranks, request.quick ? std::vector{4} : std::vector{4, 9});
  std::erase_if(ranks, [](int n) { return !is_square(n); });
  return ranks;
}

// Given folders get a folder of ours inside, so that nothing that is there is touched.
std::vector<BenchDir> make_dirs(const BenchRequest& request) {
  const std::string own = "longshore-bench." + std::to_string(getpid());
  std::vector<BenchDir> dirs;
  for (const auto& word : request.dirs) {
    dirs.push_back({word, fs::absolute(word) / own});
  }
  if (dirs.empty() && !request.quick) {
    dirs.push_back({"disk", fs::absolute(own)});
  }
  if (request.dirs.empty()) {
    dirs.push_back({"shm", fs::path("/dev/shm") / own});
  }
  return dirs;
}

void make_cases(const std::vector<BenchWorkload>& workloads, const BenchRequest& request,
                BenchPlan& plan) {
  const auto dirs = make_dirs(request);
  for (const auto& workload : workloads) {
    const auto ranks = ranks_for(workload, request);
    if (ranks.empty()) {
      plan.remarks.push_back("without " + workload.name + ": it needs a square number of ranks");
    }
    for (const int n : ranks) {
      for (const auto& dir : dirs) {
        plan.cases.push_back({workload, n, dir});
      }
    }
  }
}

Status make_variants(const BenchRequest& request, BenchPlan& plan) {
  const auto sweeps = expand_sweeps(request.sweeps);
  if (!sweeps) {
    return fail(sweeps.error());
  }
  const std::vector<std::string> all = {std::string(kStock), std::string(kOurs),
                                        std::string(kLimit)};
  for (const auto& mpi : plan.mpis) {
    for (const auto& kind : or_default(request.compare, all)) {
      if (std::find(all.begin(), all.end(), kind) == all.end()) {
        return fail(ErrorClass::kInvalidArgument,
                    "--compare " + kind + ": of stock, longshore, limit");
      }
      if (kind != kOurs) {
        plan.variants.push_back({mpi.mpi, kind, {}});
        continue;
      }
      for (const auto& sweep : *sweeps) {
        plan.variants.push_back({mpi.mpi, kind, sweep});
      }
    }
  }
  return {};
}

Status check_numbers(const BenchRequest& request) {
  if (request.repetitions.value_or(1) < 1 || !(request.scale.value_or(1) > 0) ||
      !(request.timeout_seconds > 0)) {
    return fail(ErrorClass::kInvalidArgument, "repetitions, scale and timeout are positive");
  }
  for (const int n : request.ranks) {
    if (n < 1) {
      return fail(ErrorClass::kInvalidArgument, "-n: numbers of ranks are positive");
    }
  }
  for (const auto& hint : request.hints) {
    if (hint.find('=') == std::string::npos || hint.front() == '=') {
      return fail(ErrorClass::kInvalidArgument, "--hint " + hint + ": give it as key=value");
    }
  }
  return {};
}

}  // namespace

Result<fs::path> find_mpirun(const System& system, MpiKind mpi) {
  const auto own = "mpirun." + std::string(name(mpi));
  for (const auto& word : {own, std::string("mpirun"), std::string("mpiexec")}) {
    const auto found = system.find_program(word);
    const auto launcher = found ? find_launcher(system, {found->string()}) : std::nullopt;
    const auto kind = mpi == MpiKind::kOpenMpi ? LauncherKind::kOpenMpi : LauncherKind::kHydra;
    if (launcher && *launcher && (*launcher)->kind == kind) {
      return *found;
    }
  }
  return fail(ErrorClass::kNoSuchFile, std::string(name(mpi)) + ": no " + own + " or mpirun of it");
}

Result<BenchMpi> find_bench_mpi(const System& system, MpiKind mpi) {
  const auto mpirun = find_mpirun(system, mpi);
  if (!mpirun) {
    return fail(mpirun.error());
  }
  const auto program = find_workload_program(system, mpi);
  if (!program) {
    return fail(program.error());
  }
  return BenchMpi{mpi, *mpirun, *program};
}

Result<std::vector<BenchWorkload>> list_workloads(const System& system, const BenchMpi& mpi) {
  const auto text = system.output_of({mpi.program.string(), "--list"});
  const auto list = nlohmann::json::parse(text, nullptr, false);
  std::vector<BenchWorkload> workloads;
  if (list.is_array()) {
    for (const auto& one : list) {
      workloads.push_back({one.value("name", ""), one.value("about", ""),
                           one.value("bytes", int64_t{0}), one.value("square", false),
                           one.value("dense", true), one.value("independent", false),
                           one.value("sets", std::vector<std::string>{})});
    }
  }
  if (workloads.empty()) {
    return fail(ErrorClass::kBadFile,
                mpi.program.string() + " --list: not understood: " + text.substr(0, 200));
  }
  return workloads;
}

Result<BenchPlan> plan_bench(const System& system, const BenchRequest& request) {
  BenchPlan plan;
  if (auto ok = check_numbers(request); !ok) {
    return fail(ok.error());
  }
  if (auto ok = find_mpis(system, request, plan); !ok) {
    return fail(ok.error());
  }
  const auto all = list_workloads(system, plan.mpis.front());
  if (!all) {
    return fail(all.error());
  }
  const auto chosen = choose_workloads(*all, request);
  if (!chosen) {
    return fail(chosen.error());
  }
  make_cases(*chosen, request, plan);
  if (auto ok = make_variants(request, plan); !ok) {
    return fail(ok.error());
  }
  plan.hints = request.hints;
  plan.launcher = words_of(request.launcher);
  if (!plan.launcher.empty() && !system.find_program(plan.launcher.front())) {
    return fail(ErrorClass::kNoSuchFile, "--launcher " + plan.launcher.front() + ": not found");
  }
  plan.repetitions = request.repetitions.value_or(request.quick ? 2 : 5);
  plan.scale = request.scale.value_or(request.quick ? kQuickScale : 1);
  plan.timeout_seconds = request.timeout_seconds;
  plan.independent = request.independent;
  plan.cold = request.cold;
  plan.corrupt = request.corrupt;
  return plan;
}

}  // namespace longshore::cli
