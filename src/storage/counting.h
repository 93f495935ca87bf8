// storage/counting.h - a storage that counts what passes through it.
#pragma once
#include <memory>

#include "core/observer.h"
#include "storage/forwarding.h"

namespace longshore {

// Counts calls, bytes and, if its observer does, time. A started transfer's time runs
// from its start to its end on the medium where the backend knows that, otherwise to the end of the
// wait; what a caller waits for it is counted as waiting. `observer` outlives the storage.
class CountingStorage final : public ForwardingStorage {
 public:
  CountingStorage(std::unique_ptr<Storage> inner, Observer& observer)
      : ForwardingStorage(std::move(inner)), observer_(observer) {}

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;

 private:
  class Pending;
  void count(IoKind kind, const Outcome& outcome);
  Observer& observer_;
};

}  // namespace longshore
