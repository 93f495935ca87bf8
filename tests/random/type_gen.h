// type_gen.h - draws random datatypes: any nesting for memory, monotone ones for files.
#pragma once

#include "rng.h"
#include "type_model.h"

namespace random_test {

struct MemoryTypeLimits {
  int max_leaves = 96;  // basic elements in one type
  int max_span_bytes = 1 << 16;
  bool external32 = false;  // only elements whose size external32 keeps
  bool overlap = false;     // may touch a byte twice (only legal as a source)
  bool derived = true;      // false: predefined types only
  bool wild = true;         // extents of zero or less
  bool empty = true;        // parts without bytes
  bool pairs = true;        // predefined pairs
};

// A committed type of any shape: every constructor, holes, lower bounds, negative and zero
// strides, zero counts. Its size may be 0. `copies` elements in a row obey the limits as well.
TypePtr random_memory_type(Rng& rng, int copies, const MemoryTypeLimits& limits);

// A type built over `etype` whose displacements are non-negative, ascending and disjoint, also
// when it is repeated; holes are multiples of the etype's extent. Not committed. Size > 0.
TypePtr random_monotone_type(Rng& rng, const TypePtr& etype, int max_etypes);

// A committed etype: predefined, or a small derived one, with or without a hole.
TypePtr random_etype(Rng& rng, bool external32, bool pairs);

// True if `copies` elements in a row touch no byte twice.
bool is_disjoint(const GenType& type, int64_t copies);

}  // namespace random_test
