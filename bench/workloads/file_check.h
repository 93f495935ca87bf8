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

// Collective: each rank reads its share of the file by pread, whoever wrote it, and compares every
// byte; holes must be zero and the length as it must be. The offset of the first wrong byte, the
// same on all ranks; nothing if there is none.
[[nodiscard]] std::optional<int64_t> first_wrong_offset(const FileToCheck& file);

}  // namespace longshore::bench
