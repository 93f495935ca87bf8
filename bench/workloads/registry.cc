#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr bool kSquare = true;
constexpr bool kAnyRanks = false;
constexpr bool kDense = true;
constexpr bool kWithHoles = false;

}  // namespace

const std::vector<WorkloadEntry>& workloads() {
  static const std::vector<WorkloadEntry> table = {
      {"btio_w", "NAS BT-IO class W: 24^3 cells of 40 bytes, diagonal partition, many dumps",
       44 * kMiB, kSquare, kDense, make_btio_w},
      {"btio_a", "NAS BT-IO class A: 64^3 cells of 40 bytes, diagonal partition, several dumps",
       64 * kMiB, kSquare, kDense, make_btio_a},
      {"btio_b", "NAS BT-IO class B: 102^3 cells of 40 bytes, diagonal partition, several dumps",
       84 * kMiB, kSquare, kDense, make_btio_b},
      {"tile_256", "2-D tiles, elements of 256 bytes", 128 * kMiB, kAnyRanks, kDense,
       make_tile_256},
      {"tile_1m", "2-D tiles, elements of 1 MiB", 128 * kMiB, kAnyRanks, kDense, make_tile_1m},
      {"round_robin_4k", "blocks of 4 KiB in turn", 128 * kMiB, kAnyRanks, kDense,
       make_round_robin_4k},
      {"random_1k", "blocks of 1 KiB dealt at random, no holes", 64 * kMiB, kAnyRanks, kDense,
       make_random_1k},
      {"flash", "FLASH checkpoint: 24 variables, blocks with guard cells in memory", 48 * kMiB,
       kAnyRanks, kDense, make_flash},
      {"ior_segments", "IOR: segments of one 1 MiB block per rank, a call per segment", 128 * kMiB,
       kAnyRanks, kDense, make_ior_segments},
      {"sparse_64", "pieces of 1 KiB every 64 KiB, in turn: 1/64 of the range", 8 * kMiB, kAnyRanks,
       kWithHoles, make_sparse_64},
      {"contiguous", "one large block per rank", 128 * kMiB, kAnyRanks, kDense, make_contiguous},
  };
  return table;
}

const WorkloadEntry* find_workload(const std::string& name) {
  const auto& table = workloads();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace longshore::bench
