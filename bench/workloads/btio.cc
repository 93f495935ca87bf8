// NAS BT-IO: a cube of cells of five doubles, multi-partitioned over q*q ranks. The cube is cut
// into q^3 blocks; rank (i, j) owns q of them, one in each slab of z, on a diagonal: block c is at
// x = i + c, y = j - c (both modulo q), z = c. The file holds dump after dump of the whole cube, x
// fastest. In memory each block has two ghost cells on each side.
//
// With q = 2, rank 0 owns the blocks (0, 0, 0) and (1, 1, 1) of (x, y, z).
#include <algorithm>
#include <cmath>

#include "workloads/rows.h"
#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kCellBytes = 5 * 8;
constexpr int kGhost = 2;

struct Range {
  int begin = 0;
  int length = 0;
};

// The first `edge % q` of the q blocks along an edge have one cell more.
Range block_range(int edge, int q, int index) {
  const int small = edge / q;
  const int larger = edge % q;
  return {index * small + std::min(index, larger), small + (index < larger ? 1 : 0)};
}

struct Block {
  Range x;
  Range y;
  Range z;
};

std::vector<Block> blocks_of(const Part& part, int edge, int q) {
  const int i = part.rank % q;
  const int j = part.rank / q;
  std::vector<Block> blocks;
  for (int c = 0; c < q; ++c) {
    blocks.push_back({block_range(edge, q, (i + c) % q), block_range(edge, q, (j - c + q) % q),
                      block_range(edge, q, c)});
  }
  return blocks;
}

Shape in_file(const std::vector<Block>& blocks, int edge) {
  std::vector<std::pair<int64_t, Shape>> parts;
  for (const auto& [x, y, z] : blocks) {
    const Box box{{edge, edge, edge}, {z.length, y.length, x.length}, {z.begin, y.begin, x.begin}};
    parts.emplace_back(0, subarray(box, kCellBytes));
  }
  return joined(parts, int64_t{edge} * edge * edge * kCellBytes);
}

Shape in_memory(const std::vector<Block>& blocks) {
  std::vector<std::pair<int64_t, Shape>> parts;
  int64_t at = 0;
  for (const auto& [x, y, z] : blocks) {
    const Box box{{z.length + 2 * kGhost, y.length + 2 * kGhost, x.length + 2 * kGhost},
                  {z.length, y.length, x.length},
                  {kGhost, kGhost, kGhost}};
    parts.emplace_back(at, subarray(box, kCellBytes));
    at += int64_t{box.whole[0]} * box.whole[1] * box.whole[2] * kCellBytes;
  }
  return joined(parts, at);
}

Workload make_btio(const Part& part, int edge) {
  const int q = static_cast<int>(std::lround(std::sqrt(part.ranks)));
  const auto blocks = blocks_of(part, edge, q);
  Workload workload{0, in_file(blocks, edge), in_memory(blocks), 0, {}};
  const int64_t dump_bytes = workload.view.extent_bytes();
  const int64_t dumps = std::max<int64_t>(1, part.bytes / dump_bytes);
  const int64_t memory_bytes = workload.memory.extent_bytes();
  for (int64_t dump = 0; dump < dumps; ++dump) {
    workload.calls.push_back({dump * workload.view.size_bytes(), dump * memory_bytes});
  }
  workload.memory_bytes = dumps * memory_bytes;
  return workload;
}

}  // namespace

Workload make_btio_w(const Part& part) { return make_btio(part, 24); }
Workload make_btio_a(const Part& part) { return make_btio(part, 64); }
Workload make_btio_b(const Part& part) { return make_btio(part, 102); }

// As liao-2007 has it: explicit offsets, no view, and a call for each row of a block along x.
Workload make_btio_w_rows(const Part& part) { return in_rows(make_btio_w(part)); }
Workload make_btio_a_rows(const Part& part) { return in_rows(make_btio_a(part)); }
Workload make_btio_b_rows(const Part& part) { return in_rows(make_btio_b(part)); }

}  // namespace longshore::bench
