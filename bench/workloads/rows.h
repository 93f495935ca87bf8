// rows.h - the bytes of a workload that has a view, without the view: each run of bytes that is
// contiguous in the file and in memory becomes a call of its own, with an explicit offset and
// MPI_BYTE.
#pragma once
#include <cstdint>
#include <limits>

#include "workloads/workload.h"

namespace longshore::bench {

// Runs longer than row_bytes are cut into calls of that length. The calls are in the order of the
// data; ranks may differ in their number, so they must be independent.
[[nodiscard]] Workload in_rows(const Workload& whole,
                               int64_t row_bytes = std::numeric_limits<int32_t>::max());

}  // namespace longshore::bench
