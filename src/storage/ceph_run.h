// storage/ceph_run.h - one call of libcephfs for what adjoins in a file.
#pragma once
#include <cstdint>

#include "storage/ceph_mount.h"
#include "storage/run_cursor.h"

namespace longshore {

// One attempt at (the front of) a run, of at most `max_bytes`: the bytes moved, 0 at end of file,
// or -errno. Without the library's vectored calls a run goes piece by piece. Offsets below 0, which
// the library takes for "where the last call ended", are EINVAL.
[[nodiscard]] int64_t call_ceph(const CephMount& mount, int file, IoKind kind, const IoRun& run,
                                int64_t max_bytes);

}  // namespace longshore
