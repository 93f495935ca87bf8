// shm: ranks of a node place their bytes straight into the aggregator's buffer, or take them out.
// One copy, no message. The aggregator learns from a number per rank how far that rank is, and
// tells by two numbers how far it is itself.
#include "collective/exchange_shm.h"

#include <algorithm>
#include <array>

#include "collective/exchange.h"
#include "core/observer.h"

namespace longshore {

namespace {

class ShmExchange final : public Exchange {
 public:
  explicit ShmExchange(const ExchangeParts& parts)
      : with_(parts),
        plan_(parts.plan),
        buffers_(parts.workspace.buffers),
        slots_(buffers_of(parts.plan.strategy.pipeline)) {}

  void begin_fill(Cycle& cycle) override;
  bool filled(Cycle& cycle) override;
  Status finish_fill(Cycle& cycle) override;
  void release(Cycle& cycle) override;

  void reserve(Cycle& cycle) override;
  void begin_deliver(Cycle& cycle) override;
  bool delivered(Cycle& cycle) override;
  Result<int64_t> finish_deliver(Cycle& cycle) override;
  Status close(const Status& mine) override;

 private:
  void tell_closed(const Status& mine, int64_t last) const;
  [[nodiscard]] ShmHead& head(int rank) const {
    return *reinterpret_cast<ShmHead*>(buffers_.head_of(rank));
  }
  [[nodiscard]] ShmHead& own_head() const { return head(plan_.rank); }
  [[nodiscard]] std::atomic<int64_t>& progress_of(int rank, ShmHead& owner) const {
    return owner.progress(buffers_.local_index(rank));
  }
  // The number that stands for "this cycle is done".
  [[nodiscard]] int64_t done(int64_t index) const { return buffers_.cycles_past() + index + 1; }
  [[nodiscard]] bool aggregates() const { return plan_.my_index >= 0; }
  void copied(int64_t bytes) const { with_.workspace.observer.count(Counter::kBytesCopied, bytes); }
  [[nodiscard]] bool all_past(std::span<const int> ranks, int64_t number) const;
  void mark(const Cycle& cycle, int owner) const;
  // Ranks of our node with bytes in our windows, or that may have some.
  [[nodiscard]] std::vector<int> partners(const Cycle& cycle) const;

  // Calls `use` for each aggregator of our node that we share bytes with, with our bytes there.
  template <typename Use>
  void each_aggregator(const Cycle& cycle, Use use) const;

  ExchangeParts with_;
  const CallPlan& plan_;
  AggregatorBuffers& buffers_;
  int slots_;
  std::array<std::vector<int>, kMostSlots> partners_;
};

bool ShmExchange::all_past(std::span<const int> ranks, int64_t number) const {
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    return progress_of(rank, own_head()).load(std::memory_order_acquire) >= number;
  });
}

std::vector<int> ShmExchange::partners(const Cycle& cycle) const {
  std::vector<int> ranks;
  for (const auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (with_.reach.holds(part.rank)) {
        ranks.push_back(part.rank);
      }
    }
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

template <typename Use>
void ShmExchange::each_aggregator(const Cycle& cycle, Use use) const {
  const auto& all = cycle.outgoing;
  for (size_t i = 0; i < all.size();) {
    size_t end = i + 1;
    while (end < all.size() && all[end].rank == all[i].rank) {
      ++end;
    }
    if (with_.reach.holds(all[i].rank)) {
      use(all[i].rank, std::span(all).subspan(i, end - i));
    }
    i = end;
  }
}

void ShmExchange::mark(const Cycle& cycle, int owner) const {
  ShmHead& there = head(owner);
  progress_of(plan_.rank, there).store(done(cycle.index), std::memory_order_release);
  there.from_ranks.raise();
}

void ShmExchange::begin_fill(Cycle& cycle) {
  partners_[static_cast<size_t>(cycle.slot)] = partners(cycle);
  each_aggregator(cycle, [&](int owner, std::span<const Outgoing> ours) {
    ShmHead& there = head(owner);
    if (cycle.index >= slots_) {
      const int64_t free = done(cycle.index - slots_);
      with_.wait_for(there.from_owner,
                     [&] { return there.released.load(std::memory_order_acquire) >= free; });
    }
    std::byte* buffer = buffers_.slot_of(owner, cycle.slot);
    for (const auto& own : ours) {
      place(plan_, own, buffer + own.section.buffer_offset);
      copied(own.positions.length());
    }
    mark(cycle, owner);
  });
}

bool ShmExchange::filled(Cycle& cycle) {
  return all_past(partners_[static_cast<size_t>(cycle.slot)], done(cycle.index));
}

Status ShmExchange::finish_fill(Cycle& cycle) {
  if (aggregates()) {
    with_.wait_for(own_head().from_ranks, [&] { return filled(cycle); });
  }
  return {};
}

void ShmExchange::release(Cycle& cycle) {
  if (aggregates()) {
    own_head().released.store(done(cycle.index), std::memory_order_release);
    own_head().from_owner.raise();
  }
}

void ShmExchange::reserve(Cycle& cycle) {
  auto& before = partners_[static_cast<size_t>(cycle.slot)];
  if (aggregates() && cycle.index >= slots_) {
    const int64_t taken = done(cycle.index - slots_);
    with_.wait_for(own_head().from_ranks, [&] { return all_past(before, taken); });
  }
  before = partners(cycle);
}

void ShmExchange::begin_deliver(Cycle& cycle) {
  if (aggregates()) {
    ShmHead& own = own_head();
    own.valid_end[cycle.slot].store(cycle.valid_end, std::memory_order_relaxed);
    own.loaded.store(done(cycle.index), std::memory_order_release);
    own.from_owner.raise();
  }
}

bool ShmExchange::delivered(Cycle& cycle) {
  return std::all_of(cycle.outgoing.begin(), cycle.outgoing.end(), [&](const Outgoing& own) {
    return !with_.reach.holds(own.rank) ||
           head(own.rank).loaded.load(std::memory_order_acquire) >= done(cycle.index);
  });
}

Result<int64_t> ShmExchange::finish_deliver(Cycle& cycle) {
  int64_t taken = 0;
  each_aggregator(cycle, [&](int owner, std::span<const Outgoing> ours) {
    ShmHead& there = head(owner);
    with_.wait_for(there.from_owner, [&] {
      return there.loaded.load(std::memory_order_acquire) >= done(cycle.index);
    });
    const int64_t valid = there.valid_end[cycle.slot].load(std::memory_order_relaxed);
    const std::byte* buffer = buffers_.slot_of(owner, cycle.slot);
    for (const auto& own : ours) {
      const int64_t bytes = plan_.bytes_before(own.positions, valid);
      take(plan_, own, bytes, buffer + own.section.buffer_offset);
      taken += bytes;
      copied(bytes);
    }
    mark(cycle, owner);
  });
  return taken;
}

void ShmExchange::tell_closed(const Status& mine, int64_t last) const {
  ShmHead& own = own_head();
  const auto code = static_cast<int64_t>(mine ? ErrorClass::kOk : mine.error().code);
  own.closed.store(last * ShmHead::kClasses + code, std::memory_order_release);
  own.from_owner.raise();
  if (plan_.mine.kind == IoKind::kRead) {
    const int64_t cycles = plan_.partition.cycles();
    for (int64_t index = std::max<int64_t>(0, cycles - slots_); index < cycles; ++index) {
      const auto& takers = partners_[static_cast<size_t>(index % slots_)];
      with_.wait_for(own.from_ranks, [&] { return all_past(takers, done(index)); });
    }
  }
}

// A step of all ranks would make each wait for the slowest, twice in each call.
Status ShmExchange::close(const Status& mine) {
  if (!plan_.aggregators_tell) {
    return agree(with_.comm, mine);
  }
  const int64_t last = done(plan_.partition.cycles() - 1);
  if (aggregates()) {
    tell_closed(mine, last);
  }
  auto worst = ErrorClass::kOk;
  for (const int rank : plan_.strategy.aggregators) {
    ShmHead& there = head(rank);
    int64_t closed = 0;
    with_.wait_for(there.from_owner, [&] {
      closed = there.closed.load(std::memory_order_acquire);
      return closed >= last * ShmHead::kClasses;
    });
    // Whoever is in a later call already has seen all aggregators succeed in this one.
    const bool later = closed / ShmHead::kClasses > last;
    worst = std::max(worst,
                     later ? ErrorClass::kOk : static_cast<ErrorClass>(closed % ShmHead::kClasses));
  }
  if (worst == ErrorClass::kOk) {
    return {};
  }
  return agree(with_.comm, mine);
}

}  // namespace

std::unique_ptr<Exchange> make_shm_exchange(const ExchangeParts& parts) {
  return std::make_unique<ShmExchange>(parts);
}

}  // namespace longshore
