// datatype/decode_cache.h - decoded types kept on the MPI handles. For the decoder only.
#pragma once
#include <mpi.h>

#include <optional>

#include "datatype/decode.h"

namespace longshore {

// What was stored on this handle; nothing for a type that was never decoded. The answer shares the
// pattern's nodes, so it stays good when the type is freed. Any thread may call.
[[nodiscard]] std::optional<DecodedType> find_decoded(MPI_Datatype type);

// Stores a copy on the handle, to be freed by MPI when the type goes; a duplicate of the type does
// not inherit it. Does nothing where MPI refuses: the cache is no more than an aid.
void store_decoded(MPI_Datatype type, const DecodedType& decoded);

}  // namespace longshore
