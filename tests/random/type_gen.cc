#include "type_gen.h"

#include <algorithm>

namespace random_test {

namespace {

TypePtr random_named(Rng& rng, bool external32, bool pairs) {
  int index = 0;
  do {
    index = rng.chance(50) ? rng.int_range(0, 5) : rng.int_range(0, named_count() - 1);
  } while ((external32 && !named_fits_external32(index)) || (!pairs && named_is_pair(index)));
  return make_named(index);
}

// How many copies of `child` still fit; at least 1 so that small limits do not starve the draw.
int room(const GenType& child, int max_leaves) {
  const int leaves = std::max<int>(1, static_cast<int>(child.map.size()));
  return std::max(1, max_leaves / leaves);
}

// A count of blocks and a block length whose product stays within `copies`.
struct Shape {
  int count;
  int block;
};

Shape random_shape(Rng& rng, int copies) {
  Shape shape{rng.int_range(rng.chance(5) ? 0 : 1, std::min(copies, 6)), 1};
  shape.block = rng.int_range(rng.chance(5) ? 0 : 1,
                              std::max(1, std::min(4, copies / std::max(1, shape.count))));
  return shape;
}

int64_t child_step(const GenType& child) { return std::max<int64_t>(1, child.extent); }

TypePtr draw_vector(Rng& rng, const TypePtr& child, int copies) {
  const Shape shape = random_shape(rng, copies);
  const int stride = rng.int_range(-3, 2 * shape.block + 3);
  return build_vector(child, shape.count, shape.block, stride);
}

TypePtr draw_hvector(Rng& rng, const TypePtr& child, int copies) {
  const Shape shape = random_shape(rng, copies);
  const int64_t step = child_step(*child);
  return build_hvector(child, shape.count, shape.block, rng.range(-3 * step, 7 * step));
}

// Blocks of random lengths, scattered in random order; `unit` scales the displacements.
Blocks random_blocks(Rng& rng, int copies, int64_t unit, bool equal) {
  Blocks blocks;
  const int count = rng.int_range(rng.chance(5) ? 0 : 1, std::min(copies, 6));
  const int most = std::max(1, copies / std::max(1, count));
  const int same = rng.int_range(rng.chance(5) ? 0 : 1, std::min(4, most));
  int64_t at = rng.range(-4, 4) * unit;
  for (int i = 0; i < count; ++i) {
    const int length = equal ? same : rng.int_range(0, std::min(4, most));
    blocks.lengths.push_back(length);
    blocks.displacements.push_back(at);
    at += (length + rng.range(0, 3)) * unit + (unit > 1 && rng.chance(20) ? rng.below(unit) : 0);
  }
  for (size_t i = blocks.lengths.size(); i > 1 && rng.chance(40); --i) {
    std::swap(blocks.displacements[i - 1],
              blocks.displacements[static_cast<size_t>(rng.below(static_cast<int64_t>(i)))]);
  }
  return blocks;
}

TypePtr draw_resized(Rng& rng, const TypePtr& child) {
  const int64_t span = child->high() - child->low();
  const int64_t lb = child->low() + (rng.chance(50) ? 0 : rng.range(-8, 8));
  const int64_t extent = rng.chance(80) ? span + rng.range(0, 16) : rng.range(-span, span);
  return build_resized(child, lb, extent);
}

TypePtr draw_subarray(Rng& rng, const TypePtr& child, int copies) {
  Subarray shape;
  shape.order = rng.pick({MPI_ORDER_C, MPI_ORDER_FORTRAN});
  const int dimensions = rng.int_range(1, 3);
  int left = copies;
  for (int d = 0; d < dimensions; ++d) {
    const int sub = rng.int_range(1, std::max(1, std::min(3, left)));
    left = std::max(1, left / sub);
    const int size = sub + rng.int_range(0, 2);
    shape.sizes.push_back(size);
    shape.subsizes.push_back(sub);
    shape.starts.push_back(rng.int_range(0, size - sub));
  }
  return build_subarray(child, shape);
}

TypePtr draw_darray(Rng& rng, const TypePtr& child, int copies) {
  Darray shape;
  shape.order = rng.pick({MPI_ORDER_C, MPI_ORDER_FORTRAN});
  const int dimensions = rng.int_range(1, 2);
  for (int d = 0; d < dimensions; ++d) {
    const int processes = rng.int_range(1, 3);
    shape.sizes.push_back(rng.int_range(processes, processes + std::min(3, copies)));
    shape.processes.push_back(processes);
    shape.distributions.push_back(rng.pick({MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}));
    const bool cyclic = shape.distributions.back() == MPI_DISTRIBUTE_CYCLIC;
    shape.arguments.push_back(cyclic && rng.chance(50) ? rng.int_range(1, 2)
                                                       : MPI_DISTRIBUTE_DFLT_DARG);
    shape.ranks *= processes;
  }
  shape.rank = static_cast<int>(rng.below(shape.ranks));
  return build_darray(child, shape);
}

class MemoryTypes {
 public:
  MemoryTypes(Rng& rng, const MemoryTypeLimits& limits) : rng_(rng), limits_(limits) {}

  TypePtr draw(int depth, int leaves) {
    if (depth == 0 || rng_.chance(15)) {
      return random_named(rng_, limits_.external32, limits_.pairs);
    }
    if (rng_.chance(15)) {
      return draw_struct(depth, leaves);
    }
    const TypePtr child = draw(depth - 1, std::max(1, leaves / rng_.int_range(1, 4)));
    return derive(child, room(*child, leaves));
  }

 private:
  TypePtr derive(const TypePtr& child, int copies) {
    const int64_t bytes = child_step(*child);
    switch (rng_.below(11)) {
      case 0: return build_dup(child);
      case 1:
        return build_contiguous(child, rng_.int_range(rng_.chance(5) ? 0 : 1, std::min(8, copies)));
      case 2: return draw_vector(rng_, child, copies);
      case 3: return draw_hvector(rng_, child, copies);
      case 4: return build_indexed(child, random_blocks(rng_, copies, 1, false));
      case 5: return build_hindexed(child, random_blocks(rng_, copies, bytes, false));
      case 6: return build_indexed_block(child, random_blocks(rng_, copies, 1, true));
      case 7: return build_hindexed_block(child, random_blocks(rng_, copies, bytes, true));
      case 8: return draw_subarray(rng_, child, copies);
      case 9: return child->size > 0 ? draw_darray(rng_, child, copies) : build_dup(child);
      default: return draw_resized(rng_, child);
    }
  }

  TypePtr draw_struct(int depth, int leaves) {
    std::vector<TypePtr> children;
    Blocks blocks;
    const int count = rng_.int_range(rng_.chance(4) ? 0 : 1, 4);
    int64_t at = rng_.range(-16, 16);
    for (int i = 0; i < count; ++i) {
      children.push_back(draw(depth - 1, std::max(1, leaves / count)));
      const GenType& child = *children.back();
      const int copies = std::min(3, room(child, std::max(1, leaves / count)));
      blocks.lengths.push_back(rng_.int_range(rng_.chance(10) ? 0 : 1, copies));
      blocks.displacements.push_back(at - (child.size > 0 ? child.low() : 0));
      at +=
          blocks.lengths.back() * (child.high() - child.low() + child_step(child)) + rng_.below(9);
    }
    if (count > 1 && rng_.chance(25)) {
      std::swap(blocks.displacements.front(), blocks.displacements.back());
    }
    return build_struct(children, blocks);
  }

  Rng& rng_;
  const MemoryTypeLimits& limits_;
};

bool fits(const GenType& type, int copies, const MemoryTypeLimits& limits) {
  const int64_t span = type.high() - type.low() + std::abs(type.extent) * copies;
  if ((!limits.wild && type.extent <= 0) || (!limits.empty && type.has_empty)) {
    return false;
  }
  return span <= limits.max_span_bytes &&
         static_cast<int>(type.map.size()) <= 4 * limits.max_leaves &&
         (limits.overlap || is_disjoint(type, copies));
}

}  // namespace

bool is_disjoint(const GenType& type, int64_t copies) {
  std::vector<int64_t> bytes;
  bytes.reserve(static_cast<size_t>(type.size * copies));
  for (int64_t i = 0; i < copies; ++i) {
    for (const Leaf& leaf : type.map) {
      for (int64_t b = 0; b < leaf.bytes; ++b) {
        bytes.push_back(leaf.disp + i * type.extent + b);
      }
    }
  }
  std::sort(bytes.begin(), bytes.end());
  return std::adjacent_find(bytes.begin(), bytes.end()) == bytes.end();
}

TypePtr random_memory_type(Rng& rng, int copies, const MemoryTypeLimits& limits) {
  MemoryTypes types(rng, limits);
  TypePtr type;
  for (int attempt = 0; limits.derived && attempt < 4; ++attempt) {
    type = types.draw(rng.int_range(0, 3), limits.max_leaves);
    if (fits(*type, copies, limits)) {
      commit(*type);
      return type;
    }
  }
  return random_named(rng, limits.external32, limits.pairs);
}

TypePtr random_etype(Rng& rng, bool external32, bool pairs) {
  TypePtr etype = random_named(rng, external32, pairs);
  switch (rng.chance(60) ? 9 : rng.below(4)) {
    case 0: etype = build_contiguous(etype, rng.int_range(1, 3)); break;
    case 1: etype = build_resized(etype, 0, etype->extent + 4 * rng.range(0, 2)); break;
    case 2:
      etype = build_struct({make_int(), make_byte()}, {{1, 1}, {0, 4}});
      // Whether external32 pads a structure is not said: name its bounds.
      etype = external32 ? build_resized(etype, 0, etype->extent) : etype;
      break;
    case 3: etype = build_vector(etype, 2, 1, 2); break;
    default: break;
  }
  commit(*etype);
  return etype;
}

namespace {

Blocks ascending_blocks(Rng& rng, int copies, int64_t unit, bool equal) {
  Blocks blocks;
  const int count = rng.int_range(1, std::min(copies, 6));
  const int most = std::max(1, std::min(5, copies / count));
  const int same = rng.int_range(1, most);
  int64_t at = rng.chance(50) ? 0 : rng.range(0, 4);
  for (int i = 0; i < count; ++i) {
    blocks.lengths.push_back(equal ? same : rng.int_range(1, most));
    blocks.displacements.push_back(at * unit);
    at += blocks.lengths.back() + (rng.chance(30) ? 0 : rng.range(1, 4));
  }
  return blocks;
}

TypePtr monotone_vector(Rng& rng, const TypePtr& child, int copies, bool bytes) {
  const int count = rng.int_range(1, std::min(copies, 6));
  const int block = rng.int_range(1, std::max(1, std::min(4, copies / count)));
  const int stride = block + rng.int_range(0, 4);
  return bytes ? build_hvector(child, count, block, stride * child->extent)
               : build_vector(child, count, block, stride);
}

TypePtr monotone_struct(Rng& rng, const TypePtr& child, int copies) {
  const Blocks blocks = ascending_blocks(rng, copies, child->extent, false);
  return build_struct(std::vector<TypePtr>(blocks.lengths.size(), child), blocks);
}

TypePtr monotone_step(Rng& rng, const TypePtr& child, int copies) {
  switch (rng.below(10)) {
    case 0: return build_contiguous(child, rng.int_range(1, std::min(6, copies)));
    case 1: return monotone_vector(rng, child, copies, false);
    case 2: return monotone_vector(rng, child, copies, true);
    case 3: return build_indexed(child, ascending_blocks(rng, copies, 1, false));
    case 4: return build_hindexed(child, ascending_blocks(rng, copies, child->extent, false));
    case 5: return build_indexed_block(child, ascending_blocks(rng, copies, 1, true));
    case 6: return build_hindexed_block(child, ascending_blocks(rng, copies, child->extent, true));
    case 7: return draw_subarray(rng, child, copies);
    case 8: return monotone_struct(rng, child, copies);
    default: return build_resized(child, 0, child->lb + child->extent * rng.int_range(1, 3));
  }
}

bool is_monotone(const GenType& type) {
  int64_t end = 0;
  for (const Leaf& leaf : type.map) {
    if (leaf.disp < end) {
      return false;
    }
    end = leaf.disp + leaf.bytes;
  }
  return !type.map.empty() && type.extent > 0 && type.map.front().disp + type.extent >= end;
}

}  // namespace

TypePtr random_monotone_type(Rng& rng, const TypePtr& etype, int max_etypes) {
  TypePtr type = etype;
  const int steps = rng.int_range(1, 3);
  for (int i = 0; i < steps; ++i) {
    const int64_t copies = std::max<int64_t>(1, max_etypes * etype->size / type->size);
    TypePtr next = monotone_step(rng, type, static_cast<int>(copies));
    const bool whole = next->extent % etype->extent == 0;
    if (is_monotone(*next) && whole) {
      type = next;
    }
  }
  return type == etype ? build_dup(etype) : type;
}

}  // namespace random_test
