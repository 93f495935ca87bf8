#include "independent/transfer.h"

#include <algorithm>
#include <optional>

#include "independent/list.h"
#include "independent/range_lock.h"
#include "independent/sieve.h"

namespace longshore {

namespace {

// A gap costs a copy of its bytes, a piece of its own costs a call: sieving a read pays where the
// pieces are small and fill at least a quarter of their hull.
constexpr int64_t kSmallPieceBytes = 32 * 1024;
constexpr int64_t kSparseness = 4;

bool sieve_pays(const Pattern& file) {
  return file.size() / std::max<int64_t>(1, file.pieces()) < kSmallPieceBytes &&
         file.size() >= file.bounds().length() / kSparseness;
}

bool sieves(const Access& access, const Pattern& file, const IndependentOptions& options) {
  if (file.contiguous() || !file.monotone()) {
    return false;
  }
  if (access.kind == IoKind::kWrite) {
    return options.write == Sieving::kEnable;
  }
  return options.read == Sieving::kEnable ||
         (options.read == Sieving::kAutomatic && sieve_pays(file));
}

// Both sides in one piece: no tree is walked.
Outcome transfer_direct(Storage& storage, const Access& access) {
  const IoPiece piece{access.view.offset_at(access.first),
                      access.base + access.memory.bounds().begin, access.bytes()};
  return storage.transfer(access.kind, {&piece, 1});
}

Outcome transfer_unsieved(Storage& storage, const Access& access, const Pattern& file,
                          const IndependentOptions& options) {
  const bool writes = access.kind == IoKind::kWrite;
  std::optional<Result<RangeLock>> lock;
  if (writes && options.write == Sieving::kEnable && options.locks != nullptr) {
    lock.emplace(RangeLock::take(storage, *options.locks, file.bounds(), false));
    if (!*lock) {
      return {0, lock->error()};
    }
  }
  const int64_t buffer_bytes = writes ? options.write_buffer_bytes : options.read_buffer_bytes;
  return transfer_list(storage, access, file, buffer_bytes);
}

}  // namespace

Outcome run_independent(Storage& storage, const Access& access, const IndependentOptions& options) {
  if (access.bytes() == 0) {
    return {};
  }
  const bool others_sieve = access.kind == IoKind::kWrite && options.write == Sieving::kEnable;
  if (!others_sieve && access.view.dense() && access.memory.contiguous()) {
    return transfer_direct(storage, access);
  }
  const Pattern file = access.view.slice(access.first, access.last);
  if (!sieves(access, file, options)) {
    return transfer_unsieved(storage, access, file, options);
  }
  if (access.kind == IoKind::kWrite && options.observer != nullptr) {
    options.observer->count(Counter::kRmwBytes, file.bounds().length());
  }
  return access.kind == IoKind::kWrite
             ? sieve_write(storage, access, file, options.write_buffer_bytes, options.locks)
             : sieve_read(storage, access, file, options.read_buffer_bytes);
}

}  // namespace longshore
