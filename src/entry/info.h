// entry/info.h - MPI_Info objects and hint maps.
#pragma once
#include <mpi.h>

#include "core/result.h"
#include "file/hints.h"

namespace longshore {

// Empty for MPI_INFO_NULL.
[[nodiscard]] HintMap hints_of(MPI_Info info);
// A new info object; the program frees it.
[[nodiscard]] Status info_of(const HintMap& hints, MPI_Info* info);

}  // namespace longshore
