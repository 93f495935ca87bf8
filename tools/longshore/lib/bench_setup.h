// lib/bench_setup.h - from what was asked for to what is to be measured.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/bench_types.h"
#include "lib/system.h"

namespace longshore::cli {

// As parsed. Empty lists mean the default.
struct BenchRequest {
  std::vector<std::string> names;    // of workloads
  std::string set;                   // or a named set
  std::vector<std::string> mpis;     // openmpi, mpich; default: those that are there
  std::vector<std::string> compare;  // stock, longshore, limit; default: all
  std::vector<int> ranks;            // default 2, 4; for workloads on squares 4, 9
  std::vector<std::string> dirs;     // default: ./longshore-bench.tmp and one in /dev/shm
  std::vector<std::string> sweeps;   // key=value,value
  std::vector<std::string> hints;    // key=value, for stock and longshore
  std::string launcher;              // words instead of mpirun, with {mpi} for the MPI's name
  std::optional<int> repetitions;    // default 5
  std::optional<double> scale;       // default 1
  double timeout_seconds = 60;
  bool independent = false;  // all calls, also of workloads whose calls are collective
  bool cold = false;         // read what is not in the page cache
  bool quick = false;        // defaults: 2 repetitions, a quarter of the bytes, no 9 ranks, no disk
  bool corrupt = false;      // plants a wrong byte in what longshore wrote: for tests
};

// What one MPI needs.
struct BenchMpi {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::filesystem::path mpirun;
  std::filesystem::path program;  // longshore-workload
};

struct BenchPlan {
  std::vector<BenchMpi> mpis;
  std::vector<BenchCase> cases;
  std::vector<Variant> variants;  // in the order of the first repetition
  std::vector<std::string> hints;
  std::vector<std::string> launcher;  // words instead of mpirun and its flags, unless empty
  int repetitions = 5;
  double scale = 1;
  double timeout_seconds = 60;
  bool independent = false;
  bool cold = false;
  bool corrupt = false;
  std::vector<std::string> remarks;  // what was left out, and why
};

// Fails with kInvalidArgument for a request that makes no sense (the detail names what there is),
// with kNoSuchFile if an MPI that was asked for, or all of them, cannot be run.
[[nodiscard]] Result<BenchPlan> plan_bench(const System& system, const BenchRequest& request);

// The MPI's own mpirun. Fails with kNoSuchFile if there is none on the PATH.
[[nodiscard]] Result<std::filesystem::path> find_mpirun(const System& system, MpiKind mpi);

// The installed MPIs with which the benchmark can run; the reason where one cannot.
[[nodiscard]] Result<BenchMpi> find_bench_mpi(const System& system, MpiKind mpi);

// What the program says of its workloads. Fails with kBadFile if that cannot be understood.
[[nodiscard]] Result<std::vector<BenchWorkload>> list_workloads(const System& system,
                                                                const BenchMpi& mpi);

}  // namespace longshore::cli
