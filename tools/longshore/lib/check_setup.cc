#include "lib/check_setup.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "lib/bench_setup.h"
#include "lib/launcher.h"
#include "lib/library.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kBudgetSeconds = 60;
constexpr double kQuickBudgetSeconds = 20;
constexpr int64_t kSmallestBytes = 512;
constexpr int64_t kGreatestBytes = int64_t{64} << 20;
constexpr std::array<std::string_view, 12> kRules = {"1", "2", "3", "4",  "5",  "6",
                                                     "7", "8", "9", "10", "11", "12"};

std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

Status check_choice(const std::string& option, const std::string& word, const Words& all) {
  if (std::find(all.begin(), all.end(), word) == all.end()) {
    return fail(ErrorClass::kInvalidArgument, option + " " + word + ": of " + joined(all));
  }
  return {};
}

Status check_rules(const CheckRequest& request) {
  for (const auto& rule : request.rules) {
    if (std::find(kRules.begin(), kRules.end(), rule) == kRules.end()) {
      return fail(ErrorClass::kInvalidArgument, "--rules " + rule + ": numbers from 1 to 12");
    }
  }
  for (const int64_t bytes : request.sizes) {
    if (bytes < kSmallestBytes || bytes % kSmallestBytes != 0 || bytes > kGreatestBytes) {
      return fail(ErrorClass::kInvalidArgument,
                  "--sizes " + std::to_string(bytes) + ": multiples of 512 up to 67108864");
    }
  }
  return {};
}

Status check_request(const CheckRequest& request) {
  if (auto ok = check_choice("--mpi-io", request.mpi_io, {"stock", "longshore", "both"}); !ok) {
    return ok;
  }
  if (auto ok = check_choice("--mpi", request.mpi, {"openmpi", "mpich", "both"}); !ok) {
    return ok;
  }
  const double budget = request.budget_seconds.value_or(kBudgetSeconds);
  if (!(request.tolerance > 0) || !(budget > 0) || request.self_test < 0) {
    return fail(ErrorClass::kInvalidArgument, "tolerance and budget are positive");
  }
  if (std::any_of(request.ranks.begin(), request.ranks.end(), [](int n) { return n < 1; })) {
    return fail(ErrorClass::kInvalidArgument, "-n: numbers of ranks are positive");
  }
  return check_rules(request);
}

// Where a library is or would be; the program is beside it, or in bin/ of its tree.
Result<fs::path> find_check_program(const System& system, MpiKind mpi) {
  std::string looked;
  for (const auto& library : library_candidates(system, mpi)) {
    const auto folder = library.parent_path();
    for (const auto& place : {folder.parent_path() / "bin", folder}) {
      if (system.is_file(place / "longshore-check")) {
        return place / "longshore-check";
      }
      looked += "\n  " + (place / "longshore-check").string();
    }
  }
  return fail(ErrorClass::kNoSuchFile,
              "no longshore-check for " + std::string(name(mpi)) + "; looked for" + looked);
}

// More ranks than cores must give their core away while they wait.
Words own_launcher(const fs::path& mpirun, MpiKind mpi) {
  if (mpi == MpiKind::kOpenMpi) {
    return {mpirun.string(), "--oversubscribe",     "--bind-to", "none",
            "--mca",         "mpi_yield_when_idle", "1"};
  }
  return {mpirun.string(), "-genv", "MPIR_CVAR_POLLS_BEFORE_YIELD", "10"};
}

// Of the MPIs that were asked for, the one whose launcher the user gave.
Result<MpiKind> mpi_of_launcher(const System& system, const CheckRequest& request) {
  const auto launcher = find_launcher(system, request.launcher);
  if (!launcher) {
    return fail(launcher.error());
  }
  if (!*launcher) {
    return fail(ErrorClass::kInvalidArgument,
                "'" + request.launcher.front() + "' is no mpirun, mpiexec, srun or flux");
  }
  const auto asked = mpi_of_name(request.mpi);
  const auto kind = (*launcher)->kind;
  const auto seen = kind == LauncherKind::kOpenMpi ? std::optional(MpiKind::kOpenMpi)
                    : kind == LauncherKind::kHydra ? std::optional(MpiKind::kMpich)
                                                   : asked;
  if (!seen) {
    return fail(ErrorClass::kInvalidArgument,
                "cannot see whose launcher this is: add --mpi openmpi or --mpi mpich");
  }
  if (asked && *asked != *seen) {
    return fail(ErrorClass::kInvalidArgument,
                "the launcher is not of " + std::string(name(*asked)) + ", as --mpi says");
  }
  return *seen;
}

struct Base {
  MpiKind mpi = MpiKind::kOpenMpi;
  Words launcher;
  fs::path program;
};

Result<Base> base_of(const System& system, MpiKind mpi, const Words& launcher) {
  const auto program = find_check_program(system, mpi);
  if (!program) {
    return fail(program.error());
  }
  if (!launcher.empty()) {
    return Base{mpi, launcher, *program};
  }
  const auto mpirun = find_mpirun(system, mpi);
  if (!mpirun) {
    return fail(mpirun.error());
  }
  return Base{mpi, own_launcher(*mpirun, mpi), *program};
}

Result<std::vector<Base>> find_bases(const System& system, const CheckRequest& request,
                                     CheckPlan& plan) {
  if (!request.launcher.empty()) {
    const auto mpi = mpi_of_launcher(system, request);
    const auto base = mpi ? base_of(system, *mpi, request.launcher) : fail(mpi.error());
    return base ? Result<std::vector<Base>>({*base}) : fail(base.error());
  }
  std::vector<Base> bases;
  std::string why;
  for (const auto mpi : {MpiKind::kOpenMpi, MpiKind::kMpich}) {
    if (request.mpi != "both" && request.mpi != name(mpi)) {
      continue;
    }
    const auto base = base_of(system, mpi, {});
    if (base) {
      bases.push_back(*base);
      continue;
    }
    why += (why.empty() ? "" : "\n") + base.error().detail;
    plan.remarks.push_back("without " + std::string(name(mpi)) + ": " + base.error().detail);
  }
  if (bases.empty()) {
    return fail(ErrorClass::kNoSuchFile, why);
  }
  return bases;
}

Result<Words> mpi_ios_of(const System& system, const CheckRequest& request, MpiKind mpi,
                         CheckPlan& plan) {
  if (request.mpi_io == "stock") {
    return Words{"stock"};
  }
  const auto library = find_library(system, mpi);
  if (!library && request.mpi_io == "longshore") {
    return fail(library.error());
  }
  if (!library) {
    plan.remarks.push_back("stock only: " + library.error().detail);
    return Words{"stock"};
  }
  return request.mpi_io == "both" ? Words{"stock", "longshore"} : Words{"longshore"};
}

Words program_options(const CheckRequest& request) {
  Words words = {"--tolerance", number_text(request.tolerance)};
  if (!request.rules.empty()) {
    words.insert(words.end(), {"--rules", joined(request.rules)});
  }
  Words sizes;
  for (const int64_t bytes : request.sizes) {
    sizes.push_back(std::to_string(bytes));
  }
  if (!sizes.empty()) {
    words.insert(words.end(), {"--sizes", joined(sizes)});
  }
  if (request.self_test > 0) {
    words.insert(words.end(), {"--self-test", std::to_string(request.self_test)});
  }
  if (request.quick) {
    words.emplace_back("--quick");
  }
  if (request.corrupt) {
    words.emplace_back("--corrupt");
  }
  return words;
}

Status add_launches(const System& system, const CheckRequest& request, const Base& base,
                    CheckPlan& plan) {
  const auto kinds = mpi_ios_of(system, request, base.mpi, plan);
  if (!kinds) {
    return fail(kinds.error());
  }
  const auto ranks = !request.ranks.empty() ? request.ranks
                     : request.quick        ? std::vector<int>{2}
                                            : std::vector<int>{2, 4};
  const auto dirs = request.dirs.empty() ? Words{"/dev/shm"} : request.dirs;
  const std::string own = "longshore-check." + std::to_string(getpid());
  for (const auto& dir : dirs) {
    for (const int n : ranks) {
      for (const auto& kind : *kinds) {
        plan.launches.push_back(
            {base.mpi, kind, n, dir, fs::absolute(dir) / own, base.launcher, base.program});
      }
    }
  }
  return {};
}

}  // namespace

Result<CheckPlan> plan_check(const System& system, const CheckRequest& request) {
  if (auto ok = check_request(request); !ok) {
    return fail(ok.error());
  }
  CheckPlan plan;
  const auto bases = find_bases(system, request, plan);
  if (!bases) {
    return fail(bases.error());
  }
  for (const auto& base : *bases) {
    if (auto ok = add_launches(system, request, base, plan); !ok) {
      return fail(ok.error());
    }
  }
  plan.options = program_options(request);
  plan.tolerance = request.tolerance;
  plan.budget_seconds = request.budget_seconds
                            ? *request.budget_seconds / static_cast<double>(plan.launches.size())
                        : request.quick ? kQuickBudgetSeconds
                                        : kBudgetSeconds;
  return plan;
}

}  // namespace longshore::cli
