#include "independent/transfer.h"

#include <optional>

#include "independent/list.h"
#include "independent/range_lock.h"
#include "independent/sieve.h"
#include "independent/way.h"

namespace longshore {

namespace {

// The first of the four counters of a direction, in the order of Way.
void count_way(const IndependentOptions& options, IoKind kind, Way way) {
  if (options.observer != nullptr && options.counts_ways) {
    const auto first = kind == IoKind::kWrite ? Counter::kWritesDirect : Counter::kReadsDirect;
    options.observer->count(static_cast<Counter>(static_cast<int>(first) + static_cast<int>(way)),
                            1);
  }
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
  return transfer_list(storage, access, file, buffer_bytes,
                       options.only_contiguous ? ListCalls::kOnePiece : ListCalls::kManyPieces);
}

Outcome read_scattered(Storage& storage, const Access& access, const Pattern& file,
                       const IndependentOptions& options) {
  const bool sieved = sieves(access, file, options);
  count_way(options, access.kind, sieved ? Way::kSieve : Way::kList);
  const ReadPart read = [&](const Access& part, const Pattern& bytes) {
    return sieved ? sieve_read(storage, part, bytes, options.read_buffer_bytes)
                  : transfer_unsieved(storage, part, bytes, options);
  };
  const int64_t depth = prefetch_depth(storage, file, options.prefetch);
  return depth > 0 ? read_prefetched(storage, access, file, options.prefetch, depth, read)
                   : read(access, file);
}

Outcome write_scattered(Storage& storage, const Access& access, const Pattern& file,
                        const IndependentOptions& options) {
  const bool sieved = sieves(access, file, options);
  count_way(options, access.kind, sieved ? Way::kSieve : Way::kList);
  if (!sieved) {
    return transfer_unsieved(storage, access, file, options);
  }
  if (options.observer != nullptr) {
    options.observer->count(Counter::kRmwBytes, file.bounds().length());
  }
  return sieve_write(storage, access, file, options.write_buffer_bytes, options.locks);
}

}  // namespace

Outcome run_independent(Storage& storage, const Access& access, const IndependentOptions& options) {
  if (access.bytes() == 0) {
    return {};
  }
  const bool others_sieve = access.kind == IoKind::kWrite && options.write == Sieving::kEnable;
  if (!others_sieve && access.view.dense() && access.memory.contiguous()) {
    count_way(options, access.kind, Way::kDirect);
    return transfer_direct(storage, access);
  }
  const Pattern file = access.view.slice(access.first, access.last);
  return access.kind == IoKind::kWrite ? write_scattered(storage, access, file, options)
                                       : read_scattered(storage, access, file, options);
}

}  // namespace longshore
