#include "storage/ceph_run.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace longshore {

namespace {

int64_t plain_call(const CephMount& mount, int file, IoKind kind, const IoRun& run,
                   int64_t max_bytes) {
  const iovec& memory = *run.vectors();
  auto* const begin = static_cast<char*>(memory.iov_base);
  const int64_t bytes = std::min(static_cast<int64_t>(memory.iov_len), max_bytes);
  const auto& call = mount.call();
  return kind == IoKind::kRead ? call.read(mount.handle(), file, begin, bytes, run.offset)
                               : call.write(mount.handle(), file, begin, bytes, run.offset);
}

// How many of the run's vectors, from the first on, are together no longer than max_bytes.
int vectors_within(const IoRun& run, int64_t max_bytes) {
  int64_t bytes = 0;
  int count = 0;
  while (count < run.vector_count()) {
    bytes += static_cast<int64_t>(run.vectors()[count].iov_len);
    if (bytes > max_bytes) {
      break;
    }
    ++count;
  }
  return count;
}

}  // namespace

int64_t call_ceph(const CephMount& mount, int file, IoKind kind, const IoRun& run,
                  int64_t max_bytes) {
  if (run.offset < 0 || run.offset > std::numeric_limits<int64_t>::max() - run.bytes) {
    return -EINVAL;
  }
  const auto vectored =
      kind == IoKind::kRead ? mount.call().optional.preadv : mount.call().optional.pwritev;
  const int count = vectored == nullptr ? 1 : vectors_within(run, max_bytes);
  if (count <= 1) {
    return plain_call(mount, file, kind, run, max_bytes);
  }
  return vectored(mount.handle(), file, run.vectors(), count, run.offset);
}

}  // namespace longshore
