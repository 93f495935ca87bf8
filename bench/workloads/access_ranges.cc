// The multiple access range benchmark of prost-2000 (section 3.3): blocks of 256 KiB are assigned
// to tasks at random, and of each block 32 of its 64 sub-blocks of 4 KiB are moved, which ones
// being chance too. A view shows all sub-blocks of a rank; one independent call moves those of one
// block. The memory is contiguous. On 4 ranks the default is the paper's 100 blocks for each.
//
// access_ranges_once moves all blocks of a rank in one call, so that a library knows what comes
// next, and they are one in four of the file's: the others are holes. Otherwise the ranks together
// read the whole file, and what one of them fetches too much another needs.
#include <algorithm>

#include "workloads/shuffle.h"
#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kSubblockBytes = 4096;
constexpr int kSubblocks = 64;  // that a block has
constexpr int kTaken = 32;      // of them
constexpr int64_t kCallBytes = int64_t{kTaken} * kSubblockBytes;
constexpr int kSpread = 4;
constexpr uint32_t kSeed = 20000328;

// One in `spread` of the file's blocks is some rank's.
std::vector<int> blocks_of(const Part& part, int spread) {
  const int each = static_cast<int>(std::max<int64_t>(1, part.bytes / part.ranks / kCallBytes));
  auto blocks = dealt(shuffled(each * part.ranks * spread, kSeed), part.rank, each);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

// In ascending order.
void append_subblocks(int block, std::vector<int>& places) {
  auto taken = dealt(shuffled(kSubblocks, kSeed + static_cast<uint32_t>(block)), 0, kTaken);
  std::sort(taken.begin(), taken.end());
  for (const int subblock : taken) {
    places.push_back(block * kSubblocks + subblock);
  }
}

Workload call_per_block(const std::vector<int>& blocks) {
  std::vector<int> places;
  std::vector<Call> calls;
  int64_t at = 0;
  for (const int block : blocks) {
    append_subblocks(block, places);
    calls.push_back({at, at, kCallBytes});
    at += kCallBytes;
  }
  return {0, blocks_at(kSubblockBytes, places), plain_byte(), at, std::move(calls)};
}

}  // namespace

Workload make_access_ranges(const Part& part) { return call_per_block(blocks_of(part, 1)); }

Workload make_access_ranges_once(const Part& part) {
  Workload workload = call_per_block(blocks_of(part, kSpread));
  workload.calls = {{0, 0, workload.memory_bytes}};
  return workload;
}

}  // namespace longshore::bench
