// Blocks of 4 KiB dealt in turn: block i belongs to rank i mod n. One call; the memory is
// contiguous.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kBlockBytes = 4096;

}  // namespace

Workload make_round_robin_4k(const Part& part) {
  const int64_t blocks = std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes);
  const int64_t bytes = blocks * kBlockBytes;
  return {int64_t{part.rank} * kBlockBytes,
          strided(kBlockBytes, int64_t{part.ranks} * kBlockBytes),
          contiguous(bytes),
          bytes,
          {Call{}}};
}

}  // namespace longshore::bench
