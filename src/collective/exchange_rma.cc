// rma_fence, rma_lock: ranks put their bytes into the aggregators' exposed buffers, or get them
// out. With fences a cycle is one epoch of all ranks; with locks a rank opens an epoch at each
// aggregator by itself, and barriers say when a buffer may be used and when all bytes are there.
#include "collective/exchange.h"

namespace longshore {

namespace {

class RmaExchange final : public Exchange {
 public:
  RmaExchange(const ExchangeParts& parts, Region& region, bool by_fence)
      : with_(parts), plan_(parts.plan), region_(region), by_fence_(by_fence) {}

  void begin_fill(Cycle& cycle) override;
  bool filled(Cycle&) override { return true; }
  Status finish_fill(Cycle&) override { return close(); }
  void release(Cycle&) override {}

  void reserve(Cycle&) override {}
  void begin_deliver(Cycle& cycle) override;
  bool delivered(Cycle&) override { return true; }
  Result<int64_t> finish_deliver(Cycle& cycle) override;
  Status close(const Status& mine) override { return agree(with_.comm, mine); }

 private:
  void note(const Status& status) {
    if (status_ && !status) {
      status_ = status;
    }
  }
  // All ranks have come here: buffers are free (a write) or loaded (a read).
  void open() { note(by_fence_ ? region_.fence() : with_.comm.barrier()); }
  // All transfers of all ranks are complete.
  [[nodiscard]] Status close();
  [[nodiscard]] std::vector<RemotePiece> pieces_of(const Outgoing& own, int64_t bytes,
                                                   int slot) const;
  [[nodiscard]] int64_t valid_bytes(const Outgoing& own) const;
  template <typename Transfer>
  void each_aggregator(const Cycle& cycle, Transfer transfer);

  ExchangeParts with_;
  const CallPlan& plan_;
  Region& region_;
  bool by_fence_;
  Status status_;
  std::vector<int64_t> valid_;  // by aggregator: where the bytes that it loaded end
};

Status RmaExchange::close() {
  note(by_fence_ ? region_.fence() : with_.comm.barrier());
  return status_;
}

// The first `bytes` of our bytes there.
std::vector<RemotePiece> RmaExchange::pieces_of(const Outgoing& own, int64_t bytes,
                                                int slot) const {
  std::vector<RemotePiece> pieces;
  const Access& mine = plan_.mine;
  const int64_t begin = with_.workspace.buffers.slot_offset(slot) + own.section.buffer_offset;
  const Pattern place = plan_.place_of(own);
  PatternWalk there(place, 0, place.size());
  const int64_t first = own.positions.begin - mine.first;
  PatternWalk here(mine.memory, first, first + own.positions.length());
  Piece far;
  Piece near;
  for (int64_t left = bytes; left > 0;) {
    if ((far.length == 0 && !there.next(far)) || (near.length == 0 && !here.next(near))) {
      break;
    }
    const int64_t step = std::min({far.length, near.length, left});
    pieces.push_back({mine.base + near.offset, begin + far.offset, step});
    far = {far.offset + step, far.length - step};
    near = {near.offset + step, near.length - step};
    left -= step;
  }
  return pieces;
}

template <typename Transfer>
void RmaExchange::each_aggregator(const Cycle& cycle, Transfer transfer) {
  for (const auto& own : cycle.outgoing) {
    if (!with_.reach.holds(own.rank) || own.positions.empty()) {
      continue;
    }
    if (!by_fence_) {
      note(region_.lock_shared(own.rank));
    }
    transfer(own);
    if (!by_fence_) {
      note(region_.unlock(own.rank));
    }
  }
}

void RmaExchange::begin_fill(Cycle& cycle) {
  open();
  each_aggregator(cycle, [&](const Outgoing& own) {
    region_.put(own.rank, pieces_of(own, own.positions.length(), cycle.slot));
  });
}

int64_t RmaExchange::valid_bytes(const Outgoing& own) const {
  return plan_.bytes_before(own.positions, valid_[static_cast<size_t>(own.aggregator)]);
}

// Nothing is taken from behind the end of the file, so all must know first how far the aggregators
// have come.
void RmaExchange::begin_deliver(Cycle& cycle) {
  valid_.assign(static_cast<size_t>(plan_.partition.aggregators()), 0);
  if (plan_.my_index >= 0) {
    valid_[static_cast<size_t>(plan_.my_index)] = cycle.valid_end;
  }
  note(with_.comm.all_max(valid_));
  open();
  each_aggregator(cycle, [&](const Outgoing& own) {
    region_.get(own.rank, pieces_of(own, valid_bytes(own), cycle.slot));
  });
}

Result<int64_t> RmaExchange::finish_deliver(Cycle& cycle) {
  if (auto status = close(); !status) {
    return fail(status.error());
  }
  int64_t taken = 0;
  for (const auto& own : cycle.outgoing) {
    taken += with_.reach.holds(own.rank) ? valid_bytes(own) : 0;
  }
  return taken;
}

}  // namespace

std::unique_ptr<Exchange> make_rma_exchange(const ExchangeParts& parts, Region& region,
                                            bool by_fence) {
  return std::make_unique<RmaExchange>(parts, region, by_fence);
}

}  // namespace longshore
