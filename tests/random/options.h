// options.h - the command line, and the hints that a case may give.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <set>
#include <string>

#include "rng.h"

namespace random_test {

struct Options {
  uint64_t seed = 1;
  int64_t first_case = 0;
  int64_t cases = 500;
  std::string directory;          // where the files of the cases live
  bool verbose = false;           // print each case in words
  std::set<std::string> without;  // features that cases shall not use, see known_features()
  bool keep_file = false;
  int stop_after = 5;     // failing cases
  int hang_seconds = 60;  // a round that takes longer is reported as a hang
};

// The features that --without can switch off:
//   eof         reads that end at the end of the file
//   bottom      MPI_BOTTOM with absolute addresses
//   empty       filetypes and memory types without bytes
//   pairs       predefined types with several elements, such as MPI_SHORT_INT
//   holes       bytes below the end of the file that nobody wrote must be zero
//   rewrite     a rank touches a byte again that it wrote in the same phase
//   derived     derived memory types
//   wild        memory types with zero or negative extents, or that touch a byte twice
//   nonblocking, split, shared, ordered, atomic, external32, hints, append, sequential,
//   internal    (data representations external32 and internal)
//   seek_end    MPI_SEEK_END
//   resize      MPI_File_set_size and MPI_File_preallocate
//   sizes       get_size between accesses
//   query       get_size, get_position, get_byte_offset and the like
// --stock-safe switches off what OMPIO and ROMIO are known to get wrong.
bool known_feature(const std::string& name);

// Parses argv; on a bad argument prints usage and returns false.
bool parse_options(int argc, char** argv, Options& options);

// Random hints, or MPI_INFO_NULL, always so if not `allowed`. The caller frees.
MPI_Info random_hints(Rng& rng, bool allowed, std::string& words);

}  // namespace random_test
