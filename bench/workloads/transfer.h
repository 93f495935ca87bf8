// transfer.h - the two ways the bytes go: MPI-IO, and plain system calls as the measure of what the
// machine can do.
#pragma once
#include <cstddef>
#include <span>

#include "workloads/options.h"
#include "workloads/workload.h"

namespace longshore::bench {

enum class Direction { kWrite, kRead };

// Seconds of the slowest rank, from a common start after the file was opened and the view set, to
// the end of the last call, and to the end of the close. The close is in the second since a library
// may hold data back until then.
struct Times {
  double calls = 0;
  double total = 0;
};

// Collective. Every call of the workload in one direction, on a file opened for it. Gives up if a
// call fails or moves fewer bytes than asked for.
[[nodiscard]] Times run_mpiio(const Options& options, const Workload& workload, Direction direction,
                              std::span<std::byte> buffer);

// The same by pwrite and pread of 4 MiB. REQUIRES: the workload has one call, contiguous in memory
// and file.
[[nodiscard]] Times run_limit(const Options& options, const Workload& workload, Direction direction,
                              std::span<std::byte> buffer);

}  // namespace longshore::bench
