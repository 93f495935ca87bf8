#include "lib/launch.h"

#include <algorithm>

#include "lib/launcher.h"
#include "lib/library.h"
#include "lib/preload_flags.h"

namespace longshore::cli {
namespace {

Status check(const System& system, const LaunchRequest& request) {
  if (request.command.empty()) {
    return fail(ErrorClass::kInvalidArgument, "no command given");
  }
  for (const auto& hint : request.hints) {
    const auto equals = hint.find('=');
    if (equals == std::string::npos || equals == 0 || hint.find(';') != std::string::npos) {
      return fail(ErrorClass::kInvalidArgument, "--hint " + hint + ": give it as key=value");
    }
  }
  if (const auto program = require_program(system, request.command.front()); !program) {
    return fail(program.error());
  }
  return {};
}

// The first word from `first` on that is a program linked with an MPI says which.
Result<MpiKind> mpi_of_words(const System& system, const std::vector<std::string>& command,
                             size_t first) {
  for (size_t i = first; i < command.size(); ++i) {
    if (const auto mpi = mpi_of_program(system, command[i])) {
      return *mpi;
    }
  }
  return fail(ErrorClass::kInvalidArgument,
              "cannot see which MPI '" + command[first] +
                  "' uses (a script?): add --mpi openmpi or --mpi mpich");
}

Result<MpiKind> choose_mpi(const System& system, const LaunchRequest& request,
                           const std::optional<Launcher>& launcher) {
  if (request.mpi) {
    return *request.mpi;
  }
  if (launcher && launcher->kind == LauncherKind::kOpenMpi) {
    return MpiKind::kOpenMpi;
  }
  if (launcher && launcher->kind == LauncherKind::kHydra) {
    return MpiKind::kMpich;
  }
  const size_t first = launcher ? launcher->index + 1 : 0;
  if (first == request.command.size()) {
    return fail(ErrorClass::kInvalidArgument, "no program given to " + request.command.back());
  }
  return mpi_of_words(system, request.command, first);
}

// What is in the environment already, then the hints of the command line, which win as the later.
std::string joined_hints(const System& system, const LaunchRequest& request) {
  std::string text = system.environment("LONGSHORE_HINTS").value_or("");
  for (const auto& hint : request.hints) {
    text += (text.empty() ? "" : ";") + hint;
  }
  return text;
}

void set_environment(const System& system, const LaunchRequest& request, LaunchPlan& plan) {
  if (!request.hints.empty()) {
    plan.environment.emplace_back("LONGSHORE_HINTS", joined_hints(system, request));
  }
  if (request.verbose) {
    plan.environment.emplace_back("LONGSHORE_VERBOSE", "1");
  }
  plan.environment.insert(plan.environment.end(), request.environment.begin(),
                          request.environment.end());
}

// Names of all LONGSHORE_ variables that the ranks shall see.
std::vector<std::string> forwarded_names(const System& system, const LaunchPlan& plan) {
  auto names = system.environment_names("LONGSHORE_");
  for (const auto& [name, value] : plan.environment) {
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Status add_preload(const System& system, const std::optional<Launcher>& launcher,
                   LaunchPlan& plan) {
  const PreloadFlags flags{plan.library.string(), system.environment("LD_PRELOAD").value_or(""),
                           forwarded_names(system, plan)};
  if (!launcher) {
    plan.environment.emplace_back("LD_PRELOAD", joined_preload(flags.inherited, flags.library));
    return {};
  }
  return add_preload_flags(*launcher, flags, plan.command);
}

}  // namespace

Result<LaunchPlan> plan_launch(const System& system, const LaunchRequest& request) {
  if (auto ok = check(system, request); !ok) {
    return fail(ok.error());
  }
  const auto launcher = find_launcher(system, request.command, request.mpi);
  if (!launcher) {
    return fail(launcher.error());
  }
  const auto mpi = choose_mpi(system, request, *launcher);
  if (!mpi) {
    return fail(mpi.error());
  }
  auto library = find_library(system, *mpi);
  if (!library) {
    return fail(library.error());
  }
  if (library->string().find_first_of(": ,") != std::string::npos) {
    return fail(ErrorClass::kBadFile, library->string() +
                                          ": a blank, colon or comma in the path cannot be "
                                          "preloaded; set LONGSHORE_LIB_DIR to another path to it");
  }
  LaunchPlan plan{*mpi, *library, request.command, {}};
  set_environment(system, request, plan);
  if (auto ok = add_preload(system, *launcher, plan); !ok) {
    return fail(ok.error());
  }
  return plan;
}

}  // namespace longshore::cli
