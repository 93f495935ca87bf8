// datatype/decode_signature.h - the basic items of a datatype, in stream order.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/result.h"

namespace longshore {

// `count` items of one predefined type.
struct ItemRun {
  MPI_Datatype named;
  int64_t count;
};

// One instance of the type as runs of equal items; neighbours differ. Fails with kConversion if it
// has more than 2^22 runs, with kType for what is not a datatype.
[[nodiscard]] Result<std::vector<ItemRun>> signature_of(MPI_Datatype type);

}  // namespace longshore
