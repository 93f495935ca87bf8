#include "storage/move_pieces.h"

#include <unistd.h>

#include <cerrno>
#include <string>

namespace longshore {

namespace {

constexpr int64_t kBusyPauseNs = 1'000'000;

bool may_retry(int sys_errno, int& busy_count, Clock& clock) {
  if (sys_errno == EINTR) {
    return true;
  }
  if (sys_errno != EAGAIN || ++busy_count > kMaxBusyRetries) {
    return false;
  }
  clock.sleep_ns(kBusyPauseNs);
  return true;
}

int64_t plain_call(int fd, IoKind kind, const IoRun& run) {
  const iovec& memory = *run.vectors();
  return call_once(
      fd, kind,
      {run.offset, static_cast<std::byte*>(memory.iov_base), static_cast<int64_t>(memory.iov_len)});
}

int64_t vector_call(int fd, IoKind kind, const IoRun& run) {
  return kind == IoKind::kRead ? preadv(fd, run.vectors(), run.vector_count(), run.offset)
                               : pwritev(fd, run.vectors(), run.vector_count(), run.offset);
}

}  // namespace

Error transfer_error(IoKind kind, int sys_errno, int64_t offset) {
  const char* verb = kind == IoKind::kRead ? "read at offset " : "write at offset ";
  return errno_error(sys_errno, verb + std::to_string(offset));
}

int64_t call_once(int fd, IoKind kind, const IoPiece& piece) {
  const auto length = static_cast<size_t>(piece.length);
  return kind == IoKind::kRead ? pread(fd, piece.memory, length, piece.offset)
                               : pwrite(fd, piece.memory, length, piece.offset);
}

int64_t call_vectored(int fd, IoKind kind, const IoRun& run) {
  const int64_t moved =
      run.vector_count() == 1 ? plain_call(fd, kind, run) : vector_call(fd, kind, run);
  return moved < 0 ? -errno : moved;
}

Outcome move_run(const RunCall& call, IoKind kind, IoRun& run, bool& at_end, Clock& clock) {
  Outcome outcome;
  int busy_count = 0;
  while (run.bytes > 0) {
    const int64_t moved = call(kind, run);
    if (moved > 0) {
      run.drop_front(moved);
      outcome.bytes += moved;
      busy_count = 0;
    } else if (moved == 0 && kind == IoKind::kRead) {
      at_end = true;
      return outcome;
    } else if (const int reason = moved == 0 ? EIO : static_cast<int>(-moved);
               !may_retry(reason, busy_count, clock)) {
      outcome.error = transfer_error(kind, reason, run.offset);
      return outcome;
    }
  }
  return outcome;
}

Outcome move_pieces(const RunCall& call, IoKind kind, std::span<const IoPiece> pieces,
                    Clock& clock) {
  Outcome total;
  RunCursor cursor(pieces);
  IoRun run;
  bool at_end = false;
  while (!at_end && total.ok() && cursor.next(run)) {
    Outcome one = move_run(call, kind, run, at_end, clock);
    total.bytes += one.bytes;
    total.error = std::move(one.error);
  }
  return total;
}

}  // namespace longshore
