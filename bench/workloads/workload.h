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

// One call: `count` items of the workload's memory shape, from memory_offset of the buffer on, to
// the place view_position of the view (bytes that the view shows, holes not counted).
struct Call {
  int64_t view_position = 0;
  int64_t memory_offset = 0;
  int64_t count = 1;
};

// One rank's part. The view's shape is repeated from displacement on, as in MPI_File_set_view.
struct Workload {
  int64_t displacement = 0;
  Shape view;
  Shape memory;
  int64_t memory_bytes = 0;  // of the whole buffer
  std::vector<Call> calls;   // as many on each rank, unless they are independent

  [[nodiscard]] int64_t bytes_of(const Call& call) const {
    return call.count * memory.size_bytes();
  }
};

// A name that ends in _rows is that of a workload that moves the same bytes as the one before that
// ending, but each run of them by its own call (rows.h): reports put the two side by side.
struct WorkloadEntry {
  std::string name;
  std::string about;
  int64_t default_bytes = 0;
  bool square_ranks = false;      // the number of ranks must be a square
  bool dense = true;              // the ranks together leave no holes
  bool independent = false;       // MPI_File_write_at; else MPI_File_write_at_all
  std::vector<std::string> sets;  // of `longshore bench --set`
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
[[nodiscard]] Workload make_btio_w_rows(const Part& part);
[[nodiscard]] Workload make_btio_a_rows(const Part& part);
[[nodiscard]] Workload make_btio_b_rows(const Part& part);
[[nodiscard]] Workload make_round_robin_4k_rows(const Part& part);
[[nodiscard]] Workload make_random_1k_rows(const Part& part);
[[nodiscard]] Workload make_records_64(const Part& part);
[[nodiscard]] Workload make_strided_view(const Part& part);
[[nodiscard]] Workload make_shipping_4k(const Part& part);
[[nodiscard]] Workload make_access_ranges(const Part& part);
[[nodiscard]] Workload make_access_ranges_once(const Part& part);

}  // namespace longshore::bench
