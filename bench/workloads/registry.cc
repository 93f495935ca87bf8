#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr bool kSquare = true;
constexpr bool kAnyRanks = false;
constexpr bool kDense = true;
constexpr bool kWithHoles = false;
constexpr bool kTogether = false;  // collective calls
constexpr bool kAlone = true;      // independent ones

using Sets = std::vector<std::string>;
using Table = std::vector<WorkloadEntry>;

// BT-IO is in both sets: in the other it stands beside the same bytes by independent calls. Those
// for a cluster are few: a launch over hosts takes long.
Table collective_workloads() {
  const Sets set = {"collective"};
  const Sets hosts = {"collective", "cluster"};
  const Sets both = {"collective", "independent"};
  const Sets all = {"collective", "independent", "cluster"};
  return {
      {"btio_w", "NAS BT-IO class W: 24^3 cells of 40 bytes, diagonal partition, many dumps",
       44 * kMiB, kSquare, kDense, kTogether, both, make_btio_w},
      {"btio_a", "NAS BT-IO class A: 64^3 cells of 40 bytes, diagonal partition, several dumps",
       64 * kMiB, kSquare, kDense, kTogether, all, make_btio_a},
      {"btio_b", "NAS BT-IO class B: 102^3 cells of 40 bytes, diagonal partition, several dumps",
       84 * kMiB, kSquare, kDense, kTogether, both, make_btio_b},
      {"tile_256", "2-D tiles, elements of 256 bytes", 128 * kMiB, kAnyRanks, kDense, kTogether,
       hosts, make_tile_256},
      {"tile_1m", "2-D tiles, elements of 1 MiB", 128 * kMiB, kAnyRanks, kDense, kTogether, hosts,
       make_tile_1m},
      {"round_robin_4k", "blocks of 4 KiB in turn", 128 * kMiB, kAnyRanks, kDense, kTogether, hosts,
       make_round_robin_4k},
      {"random_1k", "blocks of 1 KiB dealt at random, no holes", 64 * kMiB, kAnyRanks, kDense,
       kTogether, hosts, make_random_1k},
      {"flash", "FLASH checkpoint: 24 variables, blocks with guard cells in memory", 48 * kMiB,
       kAnyRanks, kDense, kTogether, hosts, make_flash},
      {"ior_segments", "IOR: segments of one 1 MiB block per rank, a call per segment", 128 * kMiB,
       kAnyRanks, kDense, kTogether, set, make_ior_segments},
      {"sparse_64", "pieces of 1 KiB every 64 KiB, in turn: 1/64 of the range", 8 * kMiB, kAnyRanks,
       kWithHoles, kTogether, set, make_sparse_64},
      {"contiguous", "one large block per rank", 128 * kMiB, kAnyRanks, kDense, kTogether, hosts,
       make_contiguous},
  };
}

Table independent_workloads() {
  const Sets set = {"independent"};
  const Sets hosts = {"independent", "cluster"};
  const Sets none;  // named on its own
  return {
      {"btio_w_rows", "the bytes of btio_w, a call per row of 320 or 480 bytes", 44 * kMiB, kSquare,
       kDense, kAlone, set, make_btio_w_rows},
      {"btio_a_rows", "the bytes of btio_a, a call per row of 840 to 1280 bytes", 64 * kMiB,
       kSquare, kDense, kAlone, hosts, make_btio_a_rows},
      {"btio_b_rows", "the bytes of btio_b, a call per row of 1360 or 2040 bytes", 84 * kMiB,
       kSquare, kDense, kAlone, set, make_btio_b_rows},
      {"round_robin_4k_rows", "blocks of 4 KiB in turn, a call each", 128 * kMiB, kAnyRanks, kDense,
       kAlone, hosts, make_round_robin_4k_rows},
      {"random_1k_rows", "blocks of 1 KiB dealt at random, no holes, a call each", 64 * kMiB,
       kAnyRanks, kDense, kAlone, hosts, make_random_1k_rows},
      {"records_64", "records of 64 bytes in turn, a call each", 16 * kMiB, kAnyRanks, kDense,
       kAlone, set, make_records_64},
      {"strided_view", "a view of pieces of 512 bytes in turn, calls of 256 KiB", 64 * kMiB,
       kAnyRanks, kDense, kAlone, set, make_strided_view},
      {"shipping_4k", "blocks of 4 KiB at random places, half of them taken, a call each",
       64 * kMiB, kAnyRanks, kWithHoles, kAlone, set, make_shipping_4k},
      {"access_ranges", "32 of the 64 sub-blocks of 4 KiB of a block, a call per block", 50 * kMiB,
       kAnyRanks, kWithHoles, kAlone, set, make_access_ranges},
      {"access_ranges_once", "as access_ranges, in one call, and of one block in four", 50 * kMiB,
       kAnyRanks, kWithHoles, kAlone, none, make_access_ranges_once},
  };
}

Table all_workloads() {
  auto table = collective_workloads();
  const auto more = independent_workloads();
  table.insert(table.end(), more.begin(), more.end());
  return table;
}

}  // namespace

const std::vector<WorkloadEntry>& workloads() {
  static const Table table = all_workloads();
  return table;
}

const WorkloadEntry* find_workload(const std::string& name) {
  const auto& table = workloads();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace longshore::bench
