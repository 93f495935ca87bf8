// file_check.h - is the file what the calls of all ranks must have made of it?
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace longshore::bench {

struct FileToCheck {
  std::string path;
  const std::vector<Workload>& of_all_ranks;
  int repetition = 0;
};

// Offsets of the first byte that is not as it was written, or beyond the right length, or missing;
// and of the first in a hole that is not zero. (ROMIO's data sieving leaves what was in its buffer
// in holes behind the end of the file, and MPI does not forbid it.) Nothing if there is none.
struct WrongBytes {
  std::optional<int64_t> written;
  std::optional<int64_t> hole;
  int64_t length = 0;  // that the file must have
};

// Collective: each rank reads its share of the file by pread, whoever wrote it, and compares every
// byte. The same on all ranks.
[[nodiscard]] WrongBytes find_wrong_bytes(const FileToCheck& file);

}  // namespace longshore::bench
