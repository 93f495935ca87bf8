// lib/check_types.h - the words that the parts of `longshore check` speak.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/check_verdict.h"
#include "lib/mpi_kind.h"

namespace longshore::cli {

// One start of longshore-check: everything it measures shares this.
struct CheckLaunch {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string mpi_io;  // stock or longshore
  int ranks = 0;
  std::string dir;                    // as asked for
  std::filesystem::path folder;       // ours, inside it
  std::vector<std::string> launcher;  // mpirun and its words, without the number of ranks
  std::filesystem::path program;
};

// A rule in one direction with one size, measured in one launch.
struct CheckRecord {
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string mpi_io;
  int ranks = 0;
  std::string dir;
  std::string rule;     // its number
  std::string variant;  // of rules with the same number
  std::string name;
  std::string kind;       // requirement or expectation
  std::string operation;  // write or read
  int64_t bytes = 0;      // of a rank in one operation
  std::string a;          // in MPI's words
  std::string b;
  std::string advice;
  Judgement judged;
  std::string skipped;  // why it could not be measured
  std::string wrong;    // what is wrong with the bytes
};

// A launch that did not come to its end.
struct CheckMishap {
  std::string where;  // "openmpi stock, 2 ranks, /dev/shm"
  std::string what;
};

struct CheckResults {
  std::vector<CheckRecord> records;
  std::vector<CheckMishap> mishaps;
};

}  // namespace longshore::cli
