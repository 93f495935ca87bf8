// options.h - the command line of the workload program.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/workload.h"

namespace longshore::bench {

struct Options {
  const WorkloadEntry* workload = nullptr;
  int64_t bytes = 0;  // of all ranks together
  std::string file = "longshore-workload.dat";
  std::string plain_file;  // the same file for plain calls; not empty after parse()
  std::vector<std::pair<std::string, std::string>> hints;
  int inner = 1;             // repetitions in this launch
  bool limit = false;        // plain pwrite and pread, contiguous per rank, instead of MPI-IO
  bool independent = false;  // MPI_File_write_at instead of MPI_File_write_at_all
  bool cold = false;         // read what is not in the page cache
  bool corrupt = false;      // flip a byte of the file before it is checked
  bool keep = false;         // leave the file behind
};

// Handles --help and --list, for which no rank is needed, by printing; true if there was one.
bool answer_questions(int argc, char** argv);

// Ends all ranks with kUsageError if the command line is wrong. REQUIRES: MPI is initialised.
[[nodiscard]] Options parse(int argc, char** argv, int ranks);

}  // namespace longshore::bench
