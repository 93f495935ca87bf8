#include "storage/run_cursor.h"

#include <algorithm>
#include <cassert>

namespace longshore {

namespace {

std::byte* end_of(const iovec& vector) {
  return static_cast<std::byte*>(vector.iov_base) + vector.iov_len;
}

}  // namespace

void IoRun::drop_front(int64_t moved_bytes) {
  assert(0 <= moved_bytes && moved_bytes <= bytes);
  offset += moved_bytes;
  bytes -= moved_bytes;
  auto left = static_cast<size_t>(moved_bytes);
  while (left > 0) {
    iovec& vector = memory[first];
    const size_t step = std::min(left, vector.iov_len);
    vector.iov_base = static_cast<std::byte*>(vector.iov_base) + step;
    vector.iov_len -= step;
    left -= step;
    if (vector.iov_len == 0) {
      ++first;
    }
  }
}

bool RunCursor::next(IoRun& run) {
  run.offset = 0;
  run.bytes = 0;
  run.memory.clear();
  run.first = 0;
  while (index_ < pieces_.size() && append(run)) {
  }
  return run.bytes > 0;
}

// Adds what fits of the current piece; false when the run is complete.
bool RunCursor::append(IoRun& run) {
  const IoPiece& piece = pieces_[index_];
  assert(piece.length >= 0);
  const int64_t offset = piece.offset + taken_bytes_;
  const int64_t take = std::min(piece.length - taken_bytes_, kMaxRunBytes - run.bytes);
  if (piece.length > 0) {
    if (run.bytes > 0 && offset - run.offset != run.bytes) {
      return false;
    }
    std::byte* memory = piece.memory + taken_bytes_;
    if (!run.memory.empty() && end_of(run.memory.back()) == memory) {
      run.memory.back().iov_len += static_cast<size_t>(take);
    } else if (run.memory.size() < kMaxRunVectors) {
      run.memory.push_back({memory, static_cast<size_t>(take)});
    } else {
      return false;
    }
    run.offset = run.bytes == 0 ? offset : run.offset;
    run.bytes += take;
    taken_bytes_ += take;
  }
  if (taken_bytes_ < piece.length) {
    return false;
  }
  ++index_;
  taken_bytes_ = 0;
  return run.bytes < kMaxRunBytes;
}

}  // namespace longshore
