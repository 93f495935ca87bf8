// storage/move_pieces.h - the retry loop around vectored system calls.
#pragma once
#include <functional>
#include <span>

#include "storage/run_cursor.h"
#include "storage/storage.h"

namespace longshore {

// One attempt at a run: the bytes moved (0 at end of file), or -errno.
using RunCall = std::function<int64_t(IoKind kind, const Run& run)>;

// A medium that answers EAGAIN this often in a row, a millisecond apart, has failed.
inline constexpr int kMaxBusyRetries = 2000;

// Storage::transfer() over `call`: EINTR, EAGAIN and short transfers are retried; a write that
// moves nothing fails with EIO.
Outcome move_pieces(const RunCall& call, IoKind kind, std::span<const IoPiece> pieces);

// The same for one run, of which the moved bytes are dropped. `at_end` is set when a read met the
// end of the file.
Outcome move_run(const RunCall& call, IoKind kind, Run& run, bool& at_end);

// One attempt at a run on a file descriptor, for binding into a RunCall.
[[nodiscard]] int64_t call_vectored(int fd, IoKind kind, const Run& run);

// The error of a transfer that ended with `sys_errno` at `offset`.
[[nodiscard]] Error transfer_error(IoKind kind, int sys_errno, int64_t offset);

}  // namespace longshore
