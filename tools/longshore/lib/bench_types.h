// lib/bench_types.h - the words that the parts of `longshore bench` speak.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/mpi_kind.h"

namespace longshore::cli {

// What the workload program says of a pattern.
struct BenchWorkload {
  std::string name;
  std::string about;
  int64_t bytes = 0;  // the default, of all ranks together
  bool square = false;
  bool dense = true;
  bool independent = false;
  std::vector<std::string> sets;
};

// Where the files go. The label names it in tables and, on resuming, in the results.
struct BenchDir {
  std::string label;
  std::filesystem::path path;
};

inline constexpr std::string_view kStock = "stock";
inline constexpr std::string_view kOurs = "longshore";
inline constexpr std::string_view kLimit = "limit";

// One of the things that are compared.
struct Variant {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string kind;                // stock, longshore or limit
  std::vector<std::string> sweep;  // key=value, of longshore only

  // "longshore", or "longshore cb_nodes=1 cb_buffer_size=65536".
  [[nodiscard]] std::string name() const;
};

// What is measured: all variants on the same workload, ranks and directory, in turn.
struct BenchCase {
  BenchWorkload workload;
  int ranks = 0;
  BenchDir dir;
};

enum class RunOutcome {
  kOk,
  kTimeout,
  kSkipped,  // an earlier launch of the variant with this workload exceeded its time
  kWrong,    // bytes
  kFailed,
};

// One launch.
struct RunRecord {
  std::string workload;
  int ranks = 0;
  std::string dir;  // its label
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string variant;
  int repetition = 0;
  RunOutcome outcome = RunOutcome::kOk;
  bool dense = true;
  bool independent = false;  // its calls
  bool cold = false;         // read from the medium, not from the page cache
  bool dirty_holes = false;  // of stock: bytes other than zero where nobody wrote
  int64_t bytes = 0;
  double write_seconds = 0;
  double read_seconds = 0;
  std::string detail;  // of what went wrong; the MPI's version otherwise
};

}  // namespace longshore::cli
