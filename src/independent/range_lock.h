// independent/range_lock.h - an advisory lock held for the length of a scope.
#pragma once
#include <mutex>
#include <span>
#include <utility>

#include "core/extent.h"
#include "core/result.h"
#include "storage/storage.h"

namespace longshore {

// Excludes other processes through the file system and other threads of this process through a
// mutex, since a file system's locks belong to an open file, not to a thread.
class RangeLock {
 public:
  [[nodiscard]] static Result<RangeLock> take(Storage& storage, std::mutex& in_process,
                                              Extent range, bool exclusive) {
    std::unique_lock threads(in_process);
    if (auto granted = storage.lock(range, exclusive); !granted) {
      return fail(granted.error());
    }
    return RangeLock(storage, std::move(threads), range);
  }
  ~RangeLock() {
    if (threads_.owns_lock()) {
      storage_->unlock(range_);
    }
  }
  RangeLock(RangeLock&&) noexcept = default;
  RangeLock& operator=(RangeLock&&) = delete;

 private:
  RangeLock(Storage& storage, std::unique_lock<std::mutex> threads, Extent range)
      : storage_(&storage), threads_(std::move(threads)), range_(range) {}
  Storage* storage_;
  std::unique_lock<std::mutex> threads_;
  Extent range_;
};

// Writes the pieces; with `locks`, under a shared lock of their hull, so that no one who reads,
// modifies and writes back the same bytes does so meanwhile.
Outcome write_pieces(Storage& storage, std::mutex* locks, std::span<const IoPiece> pieces);

}  // namespace longshore
