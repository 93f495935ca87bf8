#include "independent/range_lock.h"

namespace longshore {

Outcome write_pieces(Storage& storage, std::mutex* locks, std::span<const IoPiece> pieces) {
  if (locks == nullptr || pieces.empty()) {
    return storage.transfer(IoKind::kWrite, pieces);
  }
  Extent whole;
  for (const auto& piece : pieces) {
    whole = hull(whole, {piece.offset, piece.offset + piece.length});
  }
  const auto lock = RangeLock::take(storage, *locks, whole, false);
  if (!lock) {
    return {0, lock.error()};
  }
  return storage.transfer(IoKind::kWrite, pieces);
}

}  // namespace longshore
