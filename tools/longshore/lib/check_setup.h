// lib/check_setup.h - from what was asked of `longshore check` to the launches to be made.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/check_types.h"
#include "lib/system.h"

namespace longshore::cli {

// As parsed. Empty lists mean the default.
struct CheckRequest {
  std::string mpi_io = "both";        // stock, longshore or both
  std::string mpi = "both";           // openmpi, mpich or both
  std::vector<int> ranks;             // default 2, 4; with quick 2
  std::vector<std::string> dirs;      // default /dev/shm
  std::vector<std::string> rules;     // numbers
  std::vector<int64_t> sizes;         // bytes
  std::vector<std::string> launcher;  // words of the user's own mpirun
  double tolerance = 0.1;
  std::optional<double> budget_seconds;  // for everything; default 60 a launch, with quick 20
  int self_test = 0;
  bool quick = false;
  bool corrupt = false;  // for tests
};

struct CheckPlan {
  std::vector<CheckLaunch> launches;
  std::vector<std::string> options;  // for the program, the same for all launches
  double tolerance = 0.1;
  double budget_seconds = 60;        // of each launch
  std::vector<std::string> remarks;  // what was left out, and why
};

// Fails with kInvalidArgument for a request that makes no sense, with kNoSuchFile if an MPI or the
// library was asked for by name, or nothing at all, can be run. Stock MPI-IO needs no liblongshore.
[[nodiscard]] Result<CheckPlan> plan_check(const System& system, const CheckRequest& request);

}  // namespace longshore::cli
