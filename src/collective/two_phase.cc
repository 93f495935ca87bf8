#include "collective/two_phase.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "collective/partition.h"
#include "collective/tags.h"
#include "independent/range_lock.h"

namespace longshore {

namespace {

// The stream positions of a share whose bytes lie in `window`.
Extent positions_in(const TiledPattern& view, const Share& share, Extent window) {
  const Extent common = intersect(window, share.hull);
  if (common.empty() || !share.exchanges()) {
    return {};
  }
  const int64_t first =
      common.begin <= share.hull.begin ? share.first : view.position_of(common.begin);
  const int64_t last = common.end >= share.hull.end ? share.last : view.position_of(common.end);
  return {std::max(first, share.first), std::min(last, share.last)};
}

class TwoPhase {
 public:
  TwoPhase(TwoPhaseParts parts, const Access& mine, std::span<const Share> shares,
           const Strategy& strategy, Partition partition);
  Outcome write();
  Outcome read();

 private:
  // What we exchange with one aggregator in a cycle.
  struct Message {
    int aggregator_rank = 0;
    Extent positions;
    std::span<std::byte> bytes;
    int receive = -1;
  };

  [[nodiscard]] Window window_in(int64_t cycle);
  [[nodiscard]] std::vector<Message> messages_in(int64_t cycle);
  [[nodiscard]] std::span<std::byte> memory_at(Extent positions) const;

  void write_cycle(int64_t cycle);
  void place_own(Window& window, const Part& part);
  void store(Window& window, Extent extent);
  Outcome finish_write();

  void read_cycle(int64_t cycle);
  [[nodiscard]] int64_t load(Window& window, Extent extent);
  void send_parts(Window& window, int64_t valid, MessageSet& set);
  void take_own(Window& window, const Part& part, int64_t bytes);
  void deliver(std::span<const Message> messages, const MessageSet& set);

  void note(const Error& error);

  TwoPhaseParts with_;
  const Access& mine_;
  std::span<const Share> shares_;
  const Strategy& strategy_;
  Partition partition_;
  int rank_;
  int my_index_ = -1;  // among the aggregators
  std::span<std::byte> memory_;
  Status status_;
  int64_t failed_at_ = -1;  // file offset from which our domain was not written
  int64_t taken_ = 0;       // bytes read for ourselves
};

TwoPhase::TwoPhase(TwoPhaseParts parts, const Access& mine, std::span<const Share> shares,
                   const Strategy& strategy, Partition partition)
    : with_(parts),
      mine_(mine),
      shares_(shares),
      strategy_(strategy),
      partition_(std::move(partition)),
      rank_(parts.comm.rank()) {
  const auto& all = strategy.aggregators;
  const auto place = std::find(all.begin(), all.end(), rank_);
  if (place != all.end()) {
    my_index_ = static_cast<int>(place - all.begin());
    memory_ = with_.workspace.window.take(
        std::min(strategy.buffer_bytes, partition_.domain(my_index_).length()));
  }
}

void TwoPhase::note(const Error& error) {
  if (status_ && error.code != ErrorClass::kOk) {
    status_ = fail(error);
  }
}

// Our window of a cycle with every rank's part in it; no parts if we aggregate nothing.
Window TwoPhase::window_in(int64_t cycle) {
  const Extent extent = my_index_ < 0 ? Extent{} : partition_.window(my_index_, cycle);
  Window window(extent, memory_, with_.workspace);
  for (int rank = 0; rank < static_cast<int>(shares_.size()); ++rank) {
    const Share& share = shares_[static_cast<size_t>(rank)];
    if (!share.exchanges() || intersect(extent, share.hull).empty()) {
      continue;
    }
    const TiledPattern& view = with_.views.view_of(rank, share.view);
    if (const Extent positions = positions_in(view, share, extent); !positions.empty()) {
      window.add(rank, view, positions);
    }
  }
  return window;
}

std::span<std::byte> TwoPhase::memory_at(Extent positions) const {
  const int64_t at = mine_.memory.bounds().begin + (positions.begin - mine_.first);
  return {mine_.base + at, static_cast<size_t>(positions.length())};
}

// Our messages of a cycle, each with its place: in the program's memory if that is contiguous,
// otherwise in the outgoing buffer.
std::vector<TwoPhase::Message> TwoPhase::messages_in(int64_t cycle) {
  std::vector<Message> messages;
  int64_t total = 0;
  const Share& own = shares_[static_cast<size_t>(rank_)];
  for (int index = 0; index < partition_.aggregators(); ++index) {
    const Extent extent = partition_.window(index, cycle);
    const Extent positions = index == my_index_ ? Extent{} : positions_in(mine_.view, own, extent);
    if (!positions.empty()) {
      messages.push_back({strategy_.aggregators[static_cast<size_t>(index)], positions, {}, -1});
      total += positions.length();
    }
  }
  const bool direct = mine_.memory.contiguous();
  auto space = direct ? std::span<std::byte>() : with_.workspace.outgoing.take(total);
  for (auto& message : messages) {
    const auto length = static_cast<size_t>(message.positions.length());
    message.bytes = direct ? memory_at(message.positions) : space.first(length);
    space = direct ? space : space.subspan(length);
  }
  return messages;
}

Outcome TwoPhase::write() {
  for (int64_t cycle = 0; cycle < partition_.cycles(); ++cycle) {
    write_cycle(cycle);
  }
  return finish_write();
}

void TwoPhase::write_cycle(int64_t cycle) {
  auto set = with_.comm.messages();
  Window window = window_in(cycle);
  window.choose_landings(rank_, strategy_.in_rank_order);
  for (const auto& part : window.parts()) {
    if (part.rank != rank_) {
      set->receive(part.packed, part.rank, kDataTag);
    }
  }
  for (const auto& message : messages_in(cycle)) {
    if (!mine_.memory.contiguous()) {
      mine_.memory.pack(message.positions.begin - mine_.first, message.bytes, mine_.base);
    }
    set->send(message.bytes, message.aggregator_rank, kDataTag);
  }
  if (auto status = set->wait(); !status) {
    note(status.error());
  }
  if (!window.parts().empty() && failed_at_ < 0) {
    store(window, partition_.window(my_index_, cycle));
  }
}

// Puts the parts in place in rank order, so that of overlapping writes the highest rank's stays
// everywhere, and writes what they cover.
void TwoPhase::store(Window& window, Extent extent) {
  if (!status_) {
    failed_at_ = extent.begin;
    return;
  }
  for (const auto& part : window.parts()) {
    if (part.rank == rank_) {
      place_own(window, part);
    } else {
      window.scatter(part);
    }
  }
  const auto pieces = window.covered();
  const Outcome written = write_pieces(with_.storage, with_.write_locks, pieces);
  if (!written.ok()) {
    note(written.error);
    failed_at_ = valid_end(pieces, written.bytes, extent.end);
  }
}

// Straight from the program's memory into the window; through a scratch buffer only if neither side
// is contiguous.
void TwoPhase::place_own(Window& window, const Part& part) {
  const int64_t first = part.positions.begin - mine_.first;
  if (part.contiguous()) {
    mine_.memory.pack(first, window.bytes_of(part), mine_.base);
  } else if (mine_.memory.contiguous()) {
    part.pattern.unpack(0, memory_at(part.positions), window.base());
  } else {
    auto scratch = with_.workspace.self.take(part.positions.length());
    mine_.memory.pack(first, scratch, mine_.base);
    part.pattern.unpack(0, scratch, window.base());
  }
}

Outcome TwoPhase::finish_write() {
  const Status common = agree(with_.comm, status_);
  if (common) {
    return {mine_.bytes(), {}};
  }
  std::vector<int64_t> written(shares_.size(), 0);
  if (my_index_ >= 0) {
    Extent done = partition_.domain(my_index_);
    done.end = failed_at_ < 0 ? done.end : failed_at_;
    for (size_t rank = 0; rank < shares_.size(); ++rank) {
      if (shares_[rank].exchanges() && !intersect(done, shares_[rank].hull).empty()) {
        const auto& view = with_.views.view_of(static_cast<int>(rank), shares_[rank].view);
        written[rank] = positions_in(view, shares_[rank], done).length();
      }
    }
  }
  if (auto summed = with_.comm.all_sum(written); !summed) {
    return {0, summed.error()};
  }
  return {written[static_cast<size_t>(rank_)], common.error()};
}

Outcome TwoPhase::read() {
  for (int64_t cycle = 0; cycle < partition_.cycles(); ++cycle) {
    read_cycle(cycle);
  }
  const Status common = agree(with_.comm, status_);
  return {taken_, common ? Error{} : common.error()};
}

void TwoPhase::read_cycle(int64_t cycle) {
  auto set = with_.comm.messages();
  auto messages = messages_in(cycle);
  for (auto& message : messages) {
    message.receive = set->receive(message.bytes, message.aggregator_rank, kDataTag);
  }
  Window window = window_in(cycle);
  if (!window.parts().empty()) {
    const int64_t valid = load(window, partition_.window(my_index_, cycle));
    window.choose_landings(rank_, false);
    send_parts(window, valid, *set);
  }
  if (auto status = set->wait(); !status) {
    note(status.error());
    return;
  }
  deliver(messages, *set);
}

// Returns the offset up to which the window's bytes are those of the file.
int64_t TwoPhase::load(Window& window, Extent extent) {
  if (!status_) {
    return extent.begin;
  }
  const auto pieces = window.wanted();
  const Outcome got = with_.storage.transfer(IoKind::kRead, pieces);
  note(got.error);
  return valid_end(pieces, got.bytes, extent.end);
}

void TwoPhase::send_parts(Window& window, int64_t valid, MessageSet& set) {
  for (const auto& part : window.parts()) {
    const Share& share = shares_[static_cast<size_t>(part.rank)];
    const TiledPattern& view = with_.views.view_of(part.rank, share.view);
    const int64_t bytes = valid >= part.hull.end
                              ? part.positions.length()
                              : positions_in(view, share, {part.hull.begin, valid}).length();
    if (part.rank == rank_) {
      take_own(window, part, bytes);
    } else {
      window.gather(part, bytes);
      set.send(part.packed.first(static_cast<size_t>(bytes)), part.rank, kDataTag);
    }
  }
}

void TwoPhase::take_own(Window& window, const Part& part, int64_t bytes) {
  const int64_t first = part.positions.begin - mine_.first;
  const auto length = static_cast<size_t>(bytes);
  if (part.contiguous()) {
    mine_.memory.unpack(first, window.bytes_of(part).first(length), mine_.base);
  } else if (mine_.memory.contiguous()) {
    part.pattern.pack(0, memory_at(part.positions).first(length), window.base());
  } else {
    auto scratch = with_.workspace.self.take(bytes);
    part.pattern.pack(0, scratch, window.base());
    mine_.memory.unpack(first, scratch, mine_.base);
  }
  taken_ += bytes;
}

void TwoPhase::deliver(std::span<const Message> messages, const MessageSet& set) {
  for (const auto& message : messages) {
    const int64_t bytes = set.received(message.receive);
    if (!mine_.memory.contiguous()) {
      mine_.memory.unpack(message.positions.begin - mine_.first,
                          message.bytes.first(static_cast<size_t>(bytes)), mine_.base);
    }
    taken_ += bytes;
  }
}

Extent whole_range(std::span<const Share> shares) {
  Extent range;
  for (const auto& share : shares) {
    if (share.exchanges()) {
      range = hull(range, share.hull);
    }
  }
  return range;
}

Result<Partition> cut(std::span<const Share> shares, const Strategy& strategy) {
  const auto aggregators = static_cast<int>(strategy.aggregators.size());
  auto domains = strategy.partition == PartitionKind::kAligned
                     ? partition_aligned(whole_range(shares), strategy.stripe_bytes, aggregators)
                     : partition_even(whole_range(shares), aggregators);
  if (!domains) {
    return fail(domains.error());
  }
  return Partition(std::move(*domains), strategy.buffer_bytes);
}

}  // namespace

Outcome run_two_phase(TwoPhaseParts parts, const Access& mine, std::span<const Share> shares,
                      const Strategy& strategy) {
  auto partition = cut(shares, strategy);
  if (!partition) {
    return {0, partition.error()};
  }
  if (auto shipped = parts.views.ship(parts.comm, mine, shares, strategy, *partition); !shipped) {
    return {0, shipped.error()};
  }
  TwoPhase engine(parts, mine, shares, strategy, std::move(*partition));
  return mine.kind == IoKind::kWrite ? engine.write() : engine.read();
}

}  // namespace longshore
