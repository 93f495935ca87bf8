// datatype/decode.h - MPI datatypes to Patterns. One of the few headers that know mpi.h.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <functional>

#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore {

// What a datatype means for an access: where its bytes are and how instances follow each other.
struct DecodedType {
  Pattern pattern;         // of one instance
  int64_t size_bytes = 0;  // == pattern.size()
  int64_t lower_bound = 0;
  int64_t extent_bytes = 0;
  // `count` instances: the pattern of a whole buffer.
  [[nodiscard]] Pattern instances(int64_t count) const;
};

// The size of a predefined type in some data representation; also its extent there.
// Returns < 0 for a type the representation does not know.
using ElementSize = std::function<int64_t(MPI_Datatype named)>;

// Decodes any datatype of any combiner (all of MPI-3.1 and the large-count forms of MPI-4).
// Native decodes of derived types are kept as an attribute on the datatype, so the second call for
// a handle costs a look-up; safe against handle reuse because the attribute dies with the type.
// Fails with kType for MPI_DATATYPE_NULL and what is not a datatype.
[[nodiscard]] Result<DecodedType> decode(MPI_Datatype type);

// The pattern of `count` instances of a type. Programs call again and again with the same named
// type and count: that costs a comparison.
[[nodiscard]] Result<Pattern> decode_buffer(MPI_Datatype type, int64_t count);

// The same in a file data representation: named types have `element_size` bytes and constructors
// that count in extents scale with them; byte displacements stay as they are. Not cached.
// Fails with kConversion where element_size returns < 0.
[[nodiscard]] Result<DecodedType> decode_in_file(MPI_Datatype type,
                                                 const ElementSize& element_size);

// Element sizes of "external32": the standard's, and for pairs those of the two members.
[[nodiscard]] int64_t external32_size(MPI_Datatype named);

}  // namespace longshore
