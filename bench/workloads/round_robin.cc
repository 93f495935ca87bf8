// Blocks dealt in turn: block i belongs to rank i mod n; the memory is contiguous. Of 4 KiB in one
// call; without a view, each by its own; of 512 bytes by a view, 256 KiB of it at a time.
#include <algorithm>

#include "workloads/rows.h"
#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kBlockBytes = 4096;
constexpr int kPieceBytes = 512;
constexpr int64_t kCallBytes = int64_t{256} << 10;

// Without calls.
Workload in_turn(const Part& part, int block_bytes, Shape memory) {
  return {int64_t{part.rank} * block_bytes,
          strided(block_bytes, int64_t{part.ranks} * block_bytes),
          std::move(memory),
          0,
          {}};
}

}  // namespace

Workload make_round_robin_4k(const Part& part) {
  const int64_t blocks = std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes);
  auto workload = in_turn(part, kBlockBytes, contiguous(blocks * kBlockBytes));
  workload.memory_bytes = blocks * kBlockBytes;
  workload.calls = {Call{}};
  return workload;
}

Workload make_round_robin_4k_rows(const Part& part) {
  return in_rows(make_round_robin_4k(part), kBlockBytes);
}

Workload make_strided_view(const Part& part) {
  const int64_t calls = std::max<int64_t>(1, part.bytes / part.ranks / kCallBytes);
  auto workload = in_turn(part, kPieceBytes, plain_byte());
  workload.memory_bytes = calls * kCallBytes;
  for (int64_t i = 0; i < calls; ++i) {
    workload.calls.push_back({i * kCallBytes, i * kCallBytes, kCallBytes});
  }
  return workload;
}

}  // namespace longshore::bench
