#include "patterns.h"

#include <algorithm>

namespace collective_test {

namespace {

// Blocks of bytes, in order.
struct Blocks {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
};

void append_block(MappedType& type, int64_t offset, int64_t length) {
  for (int64_t i = 0; i < length; ++i) {
    type.map.push_back(offset + i);
  }
}

MappedType make_blocks(const Blocks& blocks, int64_t extent) {
  MappedType type;
  type.extent = extent;
  for (size_t i = 0; i < blocks.lengths.size(); ++i) {
    append_block(type, blocks.offsets[i], blocks.lengths[i]);
  }
  MPI_Datatype plain = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(blocks.lengths.size()), blocks.lengths.data(),
                           blocks.offsets.data(), MPI_BYTE, &plain);
  MPI_Type_create_resized(plain, 0, extent, &type.handle);
  MPI_Type_free(&plain);
  MPI_Type_commit(&type.handle);
  return type;
}

// Ranks take blocks in turn, with a hole behind each round; the tile holds a few rounds.
std::vector<MappedType> interleaved_views(Rng& rng, int ranks) {
  const int block = rng.int_range(1, 200);
  const int stride = block * ranks + rng.int_range(1, 100);
  const int rounds = rng.int_range(1, 6);
  std::vector<MappedType> views;
  for (int r = 0; r < ranks; ++r) {
    MappedType type;
    type.extent = int64_t{stride} * rounds;
    for (int i = 0; i < rounds; ++i) {
      append_block(type, int64_t{i} * stride + r * block, block);
    }
    // Its lower bound is not 0: the extent is set by hand.
    const MPI_Aint at[] = {MPI_Aint{r} * block};
    const int one[] = {1};
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Datatype placed = MPI_DATATYPE_NULL;
    MPI_Type_vector(rounds, block, stride, MPI_BYTE, &vector);
    MPI_Type_create_hindexed(1, one, at, vector, &placed);
    MPI_Type_create_resized(placed, 0, type.extent, &type.handle);
    MPI_Type_free(&placed);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type.handle);
    views.push_back(std::move(type));
  }
  return views;
}

// A matrix over a grid of ranks, block-cyclic in both directions. In row-major order element
// (i, j) belongs to the rank at (i / a mod p, j / b mod q) of the grid.
std::vector<MappedType> block_cyclic_views(Rng& rng, int ranks) {
  int grid[2] = {0, 0};
  MPI_Dims_create(ranks, 2, grid);
  const int element = rng.int_range(1, 24);
  const int distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
  const int cycle[2] = {rng.int_range(1, 3), rng.int_range(1, 5)};
  const int sizes[2] = {grid[0] * cycle[0] + rng.int_range(0, 7),
                        grid[1] * cycle[1] + rng.int_range(0, 20)};
  MPI_Datatype cell = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(element, MPI_BYTE, &cell);
  std::vector<MappedType> views;
  for (int r = 0; r < ranks; ++r) {
    MappedType type;
    type.extent = int64_t{element} * sizes[0] * sizes[1];
    for (int i = 0; i < sizes[0]; ++i) {
      for (int j = 0; j < sizes[1]; ++j) {
        const int owner = i / cycle[0] % grid[0] * grid[1] + j / cycle[1] % grid[1];
        if (owner == r) {
          append_block(type, (int64_t{i} * sizes[1] + j) * element, element);
        }
      }
    }
    MPI_Type_create_darray(ranks, r, 2, sizes, distributions, cycle, grid, MPI_ORDER_C, cell,
                           &type.handle);
    MPI_Type_commit(&type.handle);
    views.push_back(std::move(type));
  }
  MPI_Type_free(&cell);
  return views;
}

// Blocks of any length, dealt to any rank or to none.
std::vector<MappedType> irregular_views(Rng& rng, int ranks) {
  std::vector<Blocks> blocks(static_cast<size_t>(ranks));
  int64_t at = 0;
  const int count = rng.int_range(3 * ranks, 12 * ranks);
  for (int i = 0; i < count; ++i) {
    const int length = rng.chance(20) ? rng.int_range(200, 3000) : rng.int_range(1, 90);
    const auto owner = static_cast<size_t>(i < ranks ? i : rng.below(ranks));
    blocks[owner].lengths.push_back(length);
    blocks[owner].offsets.push_back(at);
    at += length + (rng.chance(40) ? rng.below(150) : 0);
  }
  std::vector<MappedType> views;
  for (const Blocks& own : blocks) {
    views.push_back(make_blocks(own, at));
  }
  return views;
}

std::vector<MappedType> make_views(Rng& rng, Shape shape, int ranks) {
  switch (shape) {
    case Shape::kInterleaved: return interleaved_views(rng, ranks);
    case Shape::kBlockCyclic: return block_cyclic_views(rng, ranks);
    case Shape::kIrregular: return irregular_views(rng, ranks);
  }
  return {};
}

}  // namespace

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::kInterleaved: return "interleaved";
    case Shape::kBlockCyclic: return "block_cyclic";
    case Shape::kIrregular: return "irregular";
  }
  return "?";
}

Pattern make_pattern(Rng& rng, Shape shape, int ranks, int64_t bytes) {
  Pattern pattern;
  const int64_t disp = rng.chance(50) ? 0 : rng.range(1, 5000);
  for (MappedType& view : make_views(rng, shape, ranks)) {
    RankPart part;
    part.disp = disp;
    part.view = std::move(view);
    part.first = rng.chance(50) ? 0 : rng.range(0, 300);
    part.last = part.first + (rng.chance(8) ? 0 : rng.range(bytes / ranks / 2, bytes / ranks));
    if (part.last > part.first) {
      pattern.end = std::max(pattern.end, part.offset(part.last - 1) + 1);
    }
    pattern.parts.push_back(std::move(part));
  }
  return pattern;
}

void free_pattern(Pattern& pattern) {
  for (RankPart& part : pattern.parts) {
    MPI_Type_free(&part.view.handle);
  }
}

MappedType make_scattered_memory(Rng& rng, int64_t bytes) {
  Blocks blocks;
  int64_t at = rng.range(0, 20);
  for (int64_t left = bytes; left > 0;) {
    const int64_t length = std::min(left, rng.range(1, 400));
    blocks.lengths.push_back(static_cast<int>(length));
    blocks.offsets.push_back(at);
    at += length + rng.range(1, 60);
    left -= length;
  }
  return make_blocks(blocks, at);
}

}  // namespace collective_test
