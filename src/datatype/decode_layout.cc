#include "datatype/decode_layout.h"

#include <algorithm>
#include <utility>

#include "datatype/pattern_node.h"

namespace longshore {

TypeBounds TypeBounds::replicated(int64_t count, int64_t stride, int64_t by) const {
  if (count <= 0 || !any) {
    return {};
  }
  TypeBounds bounds = *this;
  const int64_t last = multiply_bytes(count - 1, stride);
  bounds.lower = add_bytes(add_bytes(lower, std::min(last, int64_t{0})), by);
  bounds.upper = add_bytes(add_bytes(upper, std::max(last, int64_t{0})), by);
  return bounds;
}

void TypeBounds::join(const TypeBounds& other) {
  if (!other.any) {
    return;
  }
  if (!any) {
    *this = other;
    return;
  }
  if (lower_marked != other.lower_marked) {
    lower = lower_marked ? lower : other.lower;
  } else {
    lower = std::min(lower, other.lower);
  }
  if (upper_marked != other.upper_marked) {
    upper = upper_marked ? upper : other.upper;
  } else {
    upper = std::max(upper, other.upper);
  }
  lower_marked = lower_marked || other.lower_marked;
  upper_marked = upper_marked || other.upper_marked;
}

namespace {

TypeBounds bounds_of_blocks(const TypeLayout& child, const std::vector<TypeBlock>& blocks) {
  TypeBounds bounds;
  for (const TypeBlock& block : blocks) {
    bounds.join(child.bounds.replicated(block.count, child.extent(), block.at));
  }
  return bounds;
}

// Blocks of a type without holes are pieces.
Pattern pieces_of_blocks(const TypeLayout& child, const std::vector<TypeBlock>& blocks) {
  std::vector<Piece> pieces;
  pieces.reserve(blocks.size());
  const int64_t first = child.pattern.bounds().begin;
  for (const TypeBlock& block : blocks) {
    pieces.push_back(
        {add_bytes(block.at, first), multiply_bytes(block.count, child.pattern.size())});
  }
  return Pattern::of_pieces(pieces);
}

Pattern sequence_of_blocks(const TypeLayout& child, const std::vector<TypeBlock>& blocks) {
  std::vector<int64_t> offsets;
  std::vector<Pattern> children;
  Pattern block_pattern;
  int64_t block_count = 0;
  bool all_same = true;
  for (const TypeBlock& block : blocks) {
    if (block.count <= 0) {
      continue;
    }
    if (block.count != block_count) {
      all_same = all_same && block_count == 0;
      block_count = block.count;
      block_pattern = Pattern::repeat(block_count, child.extent(), child.pattern);
    }
    offsets.push_back(block.at);
    children.push_back(block_pattern);
  }
  return all_same ? Pattern::at_offsets(std::move(offsets), block_pattern)
                  : Pattern::sequence(offsets, children);
}

// One dimension around a pattern whose elements are `element_stride` bytes apart.
Pattern pattern_of_dimension(const Pattern& element, const ArrayDimension& dimension,
                             int64_t element_stride) {
  const int64_t block_stride = multiply_bytes(dimension.block_stride, element_stride);
  const Pattern block = Pattern::repeat(dimension.block_length, element_stride, element);
  const Pattern rest = Pattern::repeat(dimension.rest, element_stride, element);
  const int64_t start = multiply_bytes(dimension.start, element_stride);
  return Pattern::sequence(
      {start, add_bytes(start, multiply_bytes(dimension.blocks, block_stride))},
      {Pattern::repeat(dimension.blocks, block_stride, block), rest});
}

}  // namespace

TypeLayout layout_of_blocks(const TypeLayout& child, const std::vector<TypeBlock>& blocks) {
  const bool without_holes = child.pattern.contiguous() && child.pattern.size() == child.extent();
  return {without_holes ? pieces_of_blocks(child, blocks) : sequence_of_blocks(child, blocks),
          bounds_of_blocks(child, blocks)};
}

TypeLayout layout_of_array(const TypeLayout& child, const std::vector<ArrayDimension>& dimensions) {
  Pattern pattern = child.pattern;
  int64_t stride = child.extent();
  for (const ArrayDimension& dimension : dimensions) {
    pattern = pattern_of_dimension(pattern, dimension, stride);
    stride = multiply_bytes(stride, dimension.size);
  }
  return {pattern, TypeBounds::marked(0, stride)};
}

// Worked example: 10 elements in blocks of 2 over 2 processes; process 0 owns 0 1, 4 5, 8 9 (three
// whole blocks from 0, stride 4); of 9 elements it owns 0 1, 4 5 and a rest of 1.
ArrayDimension cyclic_dimension(int64_t size, int64_t block_length, int64_t processes,
                                int64_t coordinate) {
  const int64_t start = multiply_bytes(coordinate, block_length);
  const int64_t stride = multiply_bytes(processes, block_length);
  if (start >= size) {
    return {size, 0, 0, block_length, stride, 0};
  }
  const int64_t span = size - start;
  const int64_t cycles = span / stride;
  const int64_t left = span % stride;
  const bool whole = left >= block_length;
  return {size, start, whole ? cycles + 1 : cycles, block_length, stride, whole ? 0 : left};
}

}  // namespace longshore
