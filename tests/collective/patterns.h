// patterns.h - where ranks' bytes lie in a file, written out byte by byte beside the MPI types.
//
// A pattern is a pure function of its seed and the number of ranks, so that every rank knows the
// bytes of all others. No two ranks have a byte of the file in common.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../random/rng.h"

namespace collective_test {

using random_test::Rng;

// A datatype with its typemap: `map[k]` is the offset of byte k. The owner frees the handle.
struct MappedType {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::vector<int64_t> map;
  int64_t extent = 0;

  int64_t bytes() const { return static_cast<int64_t>(map.size()); }
  // The offset of byte `position` in a row of these types.
  int64_t at(int64_t position) const {
    return position / bytes() * extent + map[static_cast<size_t>(position % bytes())];
  }
};

// What one rank does: the bytes [first, last) of the stream that its view describes.
struct RankPart {
  int64_t disp = 0;
  MappedType view;
  int64_t first = 0;
  int64_t last = 0;

  int64_t offset(int64_t position) const { return disp + view.at(position); }
};

struct Pattern {
  std::vector<RankPart> parts;  // one per rank
  int64_t end = 0;              // behind the last byte that a rank writes
};

enum class Shape { kInterleaved, kBlockCyclic, kIrregular };
inline constexpr Shape kShapes[] = {Shape::kInterleaved, Shape::kBlockCyclic, Shape::kIrregular};
const char* name_of(Shape shape);

// Some `bytes` bytes in all; the views are committed.
Pattern make_pattern(Rng& rng, Shape shape, int ranks, int64_t bytes);
void free_pattern(Pattern& pattern);

// Memory of one element with `bytes` bytes: blocks with gaps between them, rising.
MappedType make_scattered_memory(Rng& rng, int64_t bytes);

}  // namespace collective_test
