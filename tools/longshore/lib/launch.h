// lib/launch.h - turns "run this with Longshore" into the command line and environment to execute.
//
// The library goes to the ranks only, never into the launcher: each launcher has its own way of
// saying so. Where a preload is asked for already, Longshore's comes last, so that profilers that
// wrap MPI-IO (Darshan) stand before it and see every call.
//
//   longshore run mpirun -n 4 ./a.out      (Open MPI)
//   -> mpirun -x LD_PRELOAD=/.../openmpi/lib/liblongshore.so -n 4 ./a.out
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "lib/mpi_kind.h"
#include "lib/system.h"

namespace longshore::cli {

struct LaunchRequest {
  std::vector<std::string> command;
  std::optional<MpiKind> mpi;      // overrules what is found out
  std::vector<std::string> hints;  // key=value
  bool verbose = false;
  std::vector<std::pair<std::string, std::string>> environment;  // more of it for the ranks
};

struct LaunchPlan {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::filesystem::path library;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // to be set for the command
};

// Fails with kInvalidArgument for an empty command, a malformed hint, or if the MPI is unknown and
// not given; with kNoSuchFile if the program or the library is not there, with kAccess if
// the program cannot be executed; as find_launcher() and find_library() do.
[[nodiscard]] Result<LaunchPlan> plan_launch(const System& system, const LaunchRequest& request);

}  // namespace longshore::cli
