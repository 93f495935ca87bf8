// datatype/decode_named.h - predefined datatypes. For the decoder only.
#pragma once
#include <mpi.h>

#include "core/result.h"
#include "datatype/decode.h"
#include "datatype/decode_layout.h"

namespace longshore {

// In memory. The pair types of MPI_MINLOC have a hole inside where C's struct has one.
[[nodiscard]] Result<TypeLayout> layout_of_named(MPI_Datatype named);

// In a file data representation: without holes.
[[nodiscard]] Result<TypeLayout> layout_of_named_in_file(MPI_Datatype named,
                                                         const ElementSize& element_size);

}  // namespace longshore
