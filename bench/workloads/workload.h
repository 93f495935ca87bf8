// workload.h - what a workload is: which bytes of memory go to which bytes of the file, in which
// calls. A workload only describes; the driver opens, fills, times and checks.
//
// To add one: a file with a function that makes the Workload of a rank, and a line in the table of
// registry.cc.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/shape.h"

namespace longshore::bench {

// Whose part of how much data. `bytes` is what all ranks are to write together; a workload comes as
// near to it as its geometry allows, with at least one call.
struct Part {
  int rank = 0;
  int ranks = 1;
  int64_t bytes = 0;
};

// One call of every rank: one item of the workload's memory shape, at memory_offset of the buffer,
// to the place view_position of the view (bytes that the view shows, holes not counted).
struct Call {
  int64_t view_position = 0;
  int64_t memory_offset = 0;
};

// One rank's part. The view's shape is repeated from displacement on, as in MPI_File_set_view.
struct Workload {
  int64_t displacement = 0;
  Shape view;
  Shape memory;
  int64_t memory_bytes = 0;  // of the whole buffer
  std::vector<Call> calls;
};

struct WorkloadEntry {
  std::string name;
  std::string about;
  int64_t default_bytes = 0;
  bool square_ranks = false;  // the number of ranks must be a square
  bool dense = true;          // the ranks together leave no holes
  Workload (*make)(const Part& part) = nullptr;
};

[[nodiscard]] const std::vector<WorkloadEntry>& workloads();
// nullptr if there is none of that name.
[[nodiscard]] const WorkloadEntry* find_workload(const std::string& name);

// The workloads, one file each.
[[nodiscard]] Workload make_btio_w(const Part& part);
[[nodiscard]] Workload make_btio_a(const Part& part);
[[nodiscard]] Workload make_btio_b(const Part& part);
[[nodiscard]] Workload make_tile_256(const Part& part);
[[nodiscard]] Workload make_tile_1m(const Part& part);
[[nodiscard]] Workload make_round_robin_4k(const Part& part);
[[nodiscard]] Workload make_random_1k(const Part& part);
[[nodiscard]] Workload make_flash(const Part& part);
[[nodiscard]] Workload make_ior_segments(const Part& part);
[[nodiscard]] Workload make_sparse_64(const Part& part);
[[nodiscard]] Workload make_contiguous(const Part& part);

}  // namespace longshore::bench
