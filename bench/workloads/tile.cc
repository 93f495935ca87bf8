// MPI-Tile-IO: a 2-D array of elements cut into one tile per rank, the tiles as near to a square of
// tiles as the number of ranks allows (4 ranks: 2 by 2; 2 ranks: side by side). Each rank writes
// its tile, contiguous in memory, in one call.
#include <algorithm>
#include <cmath>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

Workload make_tile(const Part& part, int element_bytes) {
  std::array<int, 2> tiles{};
  MPI_Dims_create(part.ranks, 2, tiles.data());  // not increasing: columns first
  const int columns = tiles[0];
  const int rows = tiles[1];
  const int64_t elements = part.bytes / element_bytes / part.ranks;
  const int width = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(elements))));
  const int height = std::max(1, static_cast<int>(elements / width));
  const Box box{{1, rows * height, columns * width},
                {1, height, width},
                {0, part.rank / columns * height, part.rank % columns * width}};
  const int64_t tile_bytes = int64_t{height} * width * element_bytes;
  return {0, subarray(box, element_bytes), contiguous(tile_bytes), tile_bytes, {Call{}}};
}

}  // namespace

Workload make_tile_256(const Part& part) { return make_tile(part, 256); }
Workload make_tile_1m(const Part& part) { return make_tile(part, 1 << 20); }

}  // namespace longshore::bench
