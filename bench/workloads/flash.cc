// The checkpoint of FLASH I/O: 24 variables on blocks of 8^3 doubles, in memory with 4 guard cells
// on each side. The file holds variable after variable; in each, the blocks of rank 0, of rank 1
// and so on, without guard cells. One call per variable: contiguous in the file, rows of 64 bytes
// in memory.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kVariables = 24;
constexpr int kEdge = 8;
constexpr int kGuard = 4;
constexpr int kWhole = kEdge + 2 * kGuard;
constexpr int kValueBytes = 8;
constexpr int64_t kBlockBytes = int64_t{kEdge} * kEdge * kEdge * kValueBytes;

}  // namespace

Workload make_flash(const Part& part) {
  const int64_t blocks = std::max<int64_t>(1, part.bytes / part.ranks / kVariables / kBlockBytes);
  const Box box{{kWhole, kWhole, kWhole}, {kEdge, kEdge, kEdge}, {kGuard, kGuard, kGuard}};
  auto memory = repeated(subarray(box, kValueBytes), static_cast<int>(blocks));
  const int64_t array_bytes = memory.extent_bytes();
  const int64_t own_bytes = blocks * kBlockBytes;
  std::vector<Call> calls;
  for (int64_t variable = 0; variable < kVariables; ++variable) {
    calls.push_back({(variable * part.ranks + part.rank) * own_bytes, variable * array_bytes});
  }
  return {0, contiguous(own_bytes), std::move(memory), kVariables * array_bytes, std::move(calls)};
}

}  // namespace longshore::bench
