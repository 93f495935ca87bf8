// datatype/decode_layout.h - a type under construction: its bytes and its bounds.
// For the decoder only; no MPI in here.
#pragma once
#include <cstdint>
#include <vector>

#include "datatype/pattern.h"

namespace longshore {

// Lower and upper bound as the MPI standard defines them: the least and greatest of all entries,
// but where explicit markers exist (a resized type, an array type), only these count.
struct TypeBounds {
  bool any = false;  // false: the type map has no entry at all
  bool lower_marked = false;
  bool upper_marked = false;
  int64_t lower = 0;
  int64_t upper = 0;

  [[nodiscard]] static TypeBounds marked(int64_t lower, int64_t upper) {
    return {true, true, true, lower, upper};
  }
  [[nodiscard]] int64_t extent() const { return upper - lower; }
  // `count` copies, `stride` apart, the first one moved by `by`.
  [[nodiscard]] TypeBounds replicated(int64_t count, int64_t stride, int64_t by) const;
  // Both type maps together.
  void join(const TypeBounds& other);
};

// One instance of a type.
struct TypeLayout {
  Pattern pattern;
  TypeBounds bounds;

  [[nodiscard]] int64_t extent() const { return bounds.extent(); }
  [[nodiscard]] TypeLayout replicated(int64_t count, int64_t stride) const {
    return {Pattern::repeat(count, stride, pattern), bounds.replicated(count, stride, 0)};
  }
};

// `count` instances of a type, one extent apart, starting at byte offset `at`.
struct TypeBlock {
  int64_t count;
  int64_t at;
};

// Blocks of one type, in order: every indexed constructor.
[[nodiscard]] TypeLayout layout_of_blocks(const TypeLayout& child,
                                          const std::vector<TypeBlock>& blocks);

// One dimension of an array as an array constructor picks from it: `blocks` blocks of
// `block_length` elements, `block_stride` elements apart, then `rest` elements one more stride on;
// all counted from element `start` of the dimension.
struct ArrayDimension {
  int64_t size;
  int64_t start;
  int64_t blocks;
  int64_t block_length;
  int64_t block_stride;
  int64_t rest;
};

// `dimensions` go from the fastest to the slowest varying one.
[[nodiscard]] TypeLayout layout_of_array(const TypeLayout& child,
                                         const std::vector<ArrayDimension>& dimensions);

// What process `coordinate` of `processes` owns of a dimension that is dealt out in blocks of
// `block_length` round robin (MPI's cyclic distribution; block and none are special cases).
//   REQUIRES: block_length > 0.
[[nodiscard]] ArrayDimension cyclic_dimension(int64_t size, int64_t block_length, int64_t processes,
                                              int64_t coordinate);

}  // namespace longshore
