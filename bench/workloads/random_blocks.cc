// Blocks of 1 KiB that together fill the file, dealt by a seeded shuffle. A view's offsets must not
// decrease, so each rank's blocks are sorted. One call; or without a view one for each block, in
// the same order. The memory is contiguous.
#include <algorithm>

#include "workloads/rows.h"
#include "workloads/shuffle.h"
#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kBlockBytes = 1024;
constexpr uint32_t kSeed = 20080915;

}  // namespace

Workload make_random_1k(const Part& part) {
  const int each = static_cast<int>(std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes));
  auto places = dealt(shuffled(each * part.ranks, kSeed), part.rank, each);
  std::sort(places.begin(), places.end());
  const int64_t bytes = int64_t{each} * kBlockBytes;
  return {0, blocks_at(kBlockBytes, places), contiguous(bytes), bytes, {Call{}}};
}

Workload make_random_1k_rows(const Part& part) {
  return in_rows(make_random_1k(part), kBlockBytes);
}

}  // namespace longshore::bench
