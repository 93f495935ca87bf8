#include "storage/counting.h"

#include <utility>

namespace longshore {

namespace {

const char* name_of(IoKind kind) { return kind == IoKind::kRead ? "read" : "write"; }

}  // namespace

class CountingStorage::Pending final : public PendingIo {
 public:
  Pending(CountingStorage& owner, IoKind kind, std::unique_ptr<PendingIo> inner)
      : owner_(owner),
        kind_(kind),
        inner_(std::move(inner)),
        begin_ns_(owner.observer_.clock.now_ns()) {}

  Outcome wait() override {
    Outcome outcome;
    {
      const Phase waiting(owner_.observer_, Counter::kWaitNs, "wait for storage", "engine");
      outcome = inner_->wait();
    }
    owner_.count(kind_, outcome);
    const int64_t known = inner_->finished_ns();
    const int64_t end_ns = known > 0 ? known : owner_.observer_.clock.now_ns();
    owner_.observer_.count(Counter::kStorageNs, end_ns - begin_ns_);
    if (owner_.observer_.trace) {
      owner_.observer_.trace->add(name_of(kind_), "storage", begin_ns_, end_ns, -1);
    }
    return outcome;
  }
  bool ready() override { return inner_->ready(); }

 private:
  CountingStorage& owner_;
  IoKind kind_;
  std::unique_ptr<PendingIo> inner_;
  int64_t begin_ns_;
};

void CountingStorage::count(IoKind kind, const Outcome& outcome) {
  observer_.count(Counter::kStorageCalls, 1);
  observer_.count(kind == IoKind::kRead ? Counter::kBytesRead : Counter::kBytesWritten,
                  outcome.bytes);
}

Outcome CountingStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  Outcome outcome;
  {
    const Phase phase(observer_, Counter::kStorageNs, name_of(kind), "storage");
    outcome = inner().transfer(kind, pieces);
  }
  count(kind, outcome);
  return outcome;
}

std::unique_ptr<PendingIo> CountingStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  return std::make_unique<Pending>(*this, kind, inner().start(kind, pieces));
}

}  // namespace longshore
