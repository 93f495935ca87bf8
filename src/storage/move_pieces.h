// storage/move_pieces.h - the retry loop around vectored system calls.
#pragma once
#include <functional>
#include <span>

#include "core/clock.h"
#include "storage/run_cursor.h"
#include "storage/storage.h"

namespace longshore {

// One attempt at a run: the bytes moved (0 at end of file), or -errno.
using RunCall = std::function<int64_t(IoKind kind, const IoRun& run)>;

// A medium that answers EAGAIN this often in a row, a millisecond apart, has failed.
inline constexpr int kMaxBusyRetries = 2000;

// Storage::transfer() over `call`: EINTR, EAGAIN and short transfers are retried; a write that
// moves nothing fails with EIO. Waits for a busy medium pass on `clock`.
Outcome move_pieces(const RunCall& call, IoKind kind, std::span<const IoPiece> pieces,
                    Clock& clock = SteadyClock::instance());

// The same for one run, of which the moved bytes are dropped. `at_end` is set when a read met the
// end of the file.
Outcome move_run(const RunCall& call, IoKind kind, IoRun& run, bool& at_end,
                 Clock& clock = SteadyClock::instance());

// One attempt at a piece on a file descriptor: the bytes moved, or -1 and errno.
[[nodiscard]] int64_t call_once(int fd, IoKind kind, const IoPiece& piece);

// One attempt at a run on a file descriptor, for binding into a RunCall.
[[nodiscard]] int64_t call_vectored(int fd, IoKind kind, const IoRun& run);

// The error of a transfer that ended with `sys_errno` at `offset`.
[[nodiscard]] Error transfer_error(IoKind kind, int sys_errno, int64_t offset);

}  // namespace longshore
