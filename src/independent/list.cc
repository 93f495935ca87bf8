#include "independent/list.h"

#include <algorithm>
#include <vector>

#include "core/raw_buffer.h"
#include "independent/zip.h"

namespace longshore {

namespace {

constexpr size_t kBatchPieces = 1024;
// Memory in larger pieces than this is handed to storage as it is.
constexpr int64_t kCrumbBytes = 4096;
// What is packed into a buffer of this size is still in the cache when storage takes it.
constexpr int64_t kScratchBytes = 256 * 1024;

bool in_crumbs(const Pattern& memory) {
  return !memory.contiguous() &&
         memory.size() / std::max<int64_t>(1, memory.pieces()) < kCrumbBytes;
}

Outcome move_batch(Storage& storage, IoKind kind, std::span<const IoPiece> pieces,
                   ListCalls calls) {
  if (calls == ListCalls::kManyPieces) {
    return storage.transfer(kind, pieces);
  }
  Outcome total;
  for (const IoPiece& piece : pieces) {
    const Outcome part = storage.transfer(kind, {&piece, 1});
    total.bytes += part.bytes;
    if (!part.ok() || part.bytes < piece.length) {
      total.error = part.error;
      return total;
    }
  }
  return total;
}

Outcome transfer_zipped(Storage& storage, const Access& access, const Pattern& file,
                        ListCalls calls) {
  Zip zip(file, access.memory, access.base);
  std::vector<IoPiece> batch;
  Outcome total;
  for (bool more = true; more;) {
    batch.clear();
    int64_t wanted = 0;
    IoPiece piece;
    while (batch.size() < kBatchPieces && (more = zip.next(piece))) {
      batch.push_back(piece);
      wanted += piece.length;
    }
    const Outcome part = move_batch(storage, access.kind, batch, calls);
    total.bytes += part.bytes;
    if (!part.ok() || part.bytes < wanted) {
      total.error = part.error;
      return total;
    }
  }
  return total;
}

// The pieces of file stream positions [first, first + buffer.size()), laid over the buffer.
std::vector<IoPiece> pieces_over(const Pattern& file, int64_t first, std::span<std::byte> buffer) {
  std::vector<IoPiece> pieces;
  Piece piece;
  std::byte* at = buffer.data();
  for (PatternWalk walk(file, first, first + static_cast<int64_t>(buffer.size()));
       walk.next(piece);) {
    pieces.push_back({piece.offset, at, piece.length});
    at += piece.length;
  }
  return pieces;
}

Outcome transfer_buffered(Storage& storage, const Access& access, const Pattern& file,
                          int64_t buffer_bytes, ListCalls calls) {
  // Kept: fresh pages for every call cost as much as the copy.
  static thread_local RawBuffer scratch;
  const int64_t step = std::min(buffer_bytes, kScratchBytes);
  Outcome total;
  while (total.bytes < access.bytes()) {
    const int64_t first = total.bytes;
    const auto buffer = scratch.take(std::min(step, access.bytes() - first));
    if (access.kind == IoKind::kWrite) {
      access.memory.pack(first, buffer, access.base);
    }
    const Outcome part = move_batch(storage, access.kind, pieces_over(file, first, buffer), calls);
    if (access.kind == IoKind::kRead && part.bytes > 0) {
      access.memory.unpack(first, buffer.first(static_cast<size_t>(part.bytes)), access.base);
    }
    total.bytes += part.bytes;
    if (!part.ok() || part.bytes < static_cast<int64_t>(buffer.size())) {
      total.error = part.error;
      return total;
    }
  }
  return total;
}

}  // namespace

Outcome transfer_list(Storage& storage, const Access& access, const Pattern& file,
                      int64_t buffer_bytes, ListCalls calls) {
  if (in_crumbs(access.memory)) {
    return transfer_buffered(storage, access, file, buffer_bytes, calls);
  }
  return transfer_zipped(storage, access, file, calls);
}

}  // namespace longshore
