// gathered: one message per host and aggregator of another host in a cycle.
//
// The ranks of a host lay their bytes for an aggregator in their trays (trays.h), and one of them,
// the porter, sends them as one message whose pieces lie in all those trays, in rank order. In a
// read the porter receives into the trays, and each rank takes its own. A part above the quota is a
// message of its own; both ends know a part's length, so both know how it goes.
//
// Example: hosts {0 1 2 3} and {4 5 6 7}, aggregators 0 and 4. All of 4 to 7 have bytes for
// aggregator 0, whose index is 0: rank 4 (the host's rank 0 mod 4) sends one message, of four
// pieces. For aggregator 4, index 1, rank 1 carries what 0 to 3 have. Two messages in all, not 8.
//
// Nobody waits for more than what all ranks do in this cycle before any wait, or did in earlier
// cycles: the porter for the trays of this cycle to be laid, which each rank does when it begins
// the cycle; who lays a tray, for the porters to be done with the cycle that had the slot before.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "collective/exchange.h"
#include "collective/tags.h"

namespace longshore {

namespace {

using Pieces = std::vector<std::span<std::byte>>;

// Pieces that follow each other in memory become one.
void append(Pieces& pieces, std::span<std::byte> next) {
  if (!pieces.empty() && pieces.back().data() + pieces.back().size() == next.data()) {
    pieces.back() = {pieces.back().data(), pieces.back().size() + next.size()};
  } else {
    pieces.push_back(next);
  }
}

std::span<std::byte> bytes_of(int64_t& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

class GatheredExchange final : public Exchange {
 public:
  explicit GatheredExchange(const ExchangeParts& parts);

  void begin_fill(Cycle& cycle) override;
  bool filled(Cycle& cycle) override { return moved(cycle) && messages_->filled(cycle); }
  Status finish_fill(Cycle& cycle) override;
  void release(Cycle&) override {}

  void reserve(Cycle&) override {}
  void begin_deliver(Cycle& cycle) override;
  bool delivered(Cycle& cycle) override;
  Result<int64_t> finish_deliver(Cycle& cycle) override;
  Status close(const Status& mine) override { return agree(with_.comm, mine); }

 private:
  struct Slot {
    std::unique_ptr<MessageSet> to_us;    // between our windows and other hosts
    std::unique_ptr<MessageSet> carried;  // between our host and other aggregators
    bool posted = false;                  // what we carry is under way
    bool ended = false;                   // and done with, as `outcome` says
    Status outcome;
  };

  [[nodiscard]] Slot& slot(const Cycle& cycle) { return slots_[static_cast<size_t>(cycle.slot)]; }
  [[nodiscard]] bool writes() const { return plan_.mine.kind == IoKind::kWrite; }
  // The number that stands for "this cycle is done".
  [[nodiscard]] int64_t done(int64_t index) const { return trays_.cycles_past() + index + 1; }
  [[nodiscard]] int node_of(int rank) const {
    return with_.comm.nodes().node_of_rank[static_cast<size_t>(rank)];
  }
  [[nodiscard]] TrayLine& own_line(const Cycle& cycle, int aggregator) const {
    return trays_.line(plan_.rank, cycle.slot, aggregator);
  }

  void choose_gathered(Cycle& cycle) const;
  [[nodiscard]] std::map<int, Pieces> pieces_by_node(Cycle& cycle) const;
  void await_tray(const Cycle& cycle) const;
  void lay_tray(const Cycle& cycle) const;
  void pack(const Cycle& cycle) const;
  [[nodiscard]] int64_t unpack(const Cycle& cycle) const;

  [[nodiscard]] bool all_laid(const Cycle& cycle) const;
  [[nodiscard]] Pieces pieces_for(const Cycle& cycle, int aggregator) const;
  void post_carried(Cycle& cycle);
  [[nodiscard]] bool carried(Cycle& cycle);
  Status end_carried(Cycle& cycle);
  [[nodiscard]] bool carried_for(const Outgoing& own, const Cycle& cycle) const;
  [[nodiscard]] bool moved(Cycle& cycle);
  void send(MessageSet& set, const Pieces& pieces, int to) const;

  ExchangeParts with_;
  const CallPlan& plan_;
  Trays& trays_;
  std::unique_ptr<Exchange> messages_;  // what is too large for a tray, and all landings
  int node_;
  std::vector<int> carries_;  // indices of the aggregators between which and our node we carry
  std::vector<int> porters_;  // of our node
  std::array<Slot, kMostSlots> slots_;
};

GatheredExchange::GatheredExchange(const ExchangeParts& parts)
    : with_(parts),
      plan_(parts.plan),
      trays_(parts.workspace.trays),
      messages_(make_message_exchange(parts)),
      node_(node_of(parts.plan.rank)) {
  const auto& aggregators = plan_.strategy.aggregators;
  for (int index = 0; index < static_cast<int>(aggregators.size()); ++index) {
    if (with_.reach.holds(aggregators[static_cast<size_t>(index)])) {
      const int porter = trays_.porter(node_, index);
      porters_.push_back(porter);
      if (porter == plan_.rank) {
        carries_.push_back(index);
      }
    }
  }
  std::sort(porters_.begin(), porters_.end());
  porters_.erase(std::unique(porters_.begin(), porters_.end()), porters_.end());
}

// All that a rank has for an aggregator in the cycle goes the same way.
void GatheredExchange::choose_gathered(Cycle& cycle) const {
  std::map<int, int64_t> to_aggregator;
  for (const auto& own : cycle.outgoing) {
    to_aggregator[own.rank] += own.positions.length();
  }
  for (auto& own : cycle.outgoing) {
    own.gathered = with_.reach.holds(own.rank) && !own.positions.empty() &&
                   to_aggregator[own.rank] <= trays_.quota_bytes();
  }
  std::map<int, int64_t> from_rank;
  for (const auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      from_rank[part.rank] += part.positions.length();
    }
  }
  for (auto& window : cycle.windows) {
    for (auto& part : window.parts()) {
      part.gathered = with_.reach.holds(part.rank) && from_rank[part.rank] <= trays_.quota_bytes();
    }
  }
}

// What our windows have of each other node, as its porter carries it: by rank, then by section.
std::map<int, Pieces> GatheredExchange::pieces_by_node(Cycle& cycle) const {
  std::map<int, Pieces> by_rank;
  for (auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (part.gathered) {
        append(by_rank[part.rank], part.packed);
      }
    }
  }
  std::map<int, Pieces> by_node;
  for (const auto& [rank, pieces] : by_rank) {
    Pieces& all = by_node[node_of(rank)];
    if (all.empty() && !writes()) {
      all.push_back(bytes_of(cycle.valid_end));
    }
    for (const auto& piece : pieces) {
      append(all, piece);
    }
  }
  return by_node;
}

// A porter looks at all trays of its node, also those that have nothing for it.
void GatheredExchange::await_tray(const Cycle& cycle) const {
  const int64_t before = cycle.index - buffers_of(plan_.strategy.pipeline);
  for (const int porter : porters_) {
    TrayHead& head = trays_.head(porter);
    with_.wait_for(head.changed, [&] {
      return before < 0 || head.carried.load(std::memory_order_acquire) >= done(before);
    });
  }
}

void GatheredExchange::lay_tray(const Cycle& cycle) const {
  for (int index = 0; index < plan_.partition.aggregators(); ++index) {
    own_line(cycle, index).length = 0;
  }
  int64_t offset = 0;
  for (const auto& own : cycle.outgoing) {
    if (own.gathered) {
      TrayLine& line = own_line(cycle, own.aggregator);
      line.offset = line.length == 0 ? offset : line.offset;
      line.length += own.positions.length();
      offset += own.positions.length();
    }
  }
  if (writes()) {
    pack(cycle);
  }
  TrayHead& head = trays_.head(plan_.rank);
  head.laid.store(done(cycle.index), std::memory_order_release);
  head.changed.raise();
}

void GatheredExchange::pack(const Cycle& cycle) const {
  std::byte* to = trays_.bytes(plan_.rank, cycle.slot);
  const Access& mine = plan_.mine;
  for (const auto& own : cycle.outgoing) {
    if (own.gathered) {
      const auto length = static_cast<size_t>(own.positions.length());
      mine.memory.pack(own.positions.begin - mine.first, {to, length}, mine.base);
      to += length;
      with_.workspace.observer.count(Counter::kBytesCopied, own.positions.length());
    }
  }
}

// Takes what has come into our tray, as far as the file has it.
int64_t GatheredExchange::unpack(const Cycle& cycle) const {
  const std::byte* from = trays_.bytes(plan_.rank, cycle.slot);
  const Access& mine = plan_.mine;
  int64_t taken = 0;
  for (const auto& own : cycle.outgoing) {
    if (own.gathered) {
      const int porter = trays_.porter(node_, own.aggregator);
      with_.wait_for(trays_.head(porter).changed, [&] { return carried_for(own, cycle); });
      const int64_t valid_end = trays_.line(porter, cycle.slot, own.aggregator).valid_end;
      const int64_t bytes = plan_.bytes_before(own.positions, valid_end);
      mine.memory.unpack(own.positions.begin - mine.first, {from, static_cast<size_t>(bytes)},
                         mine.base);
      from += own.positions.length();
      taken += bytes;
    }
  }
  with_.workspace.observer.count(Counter::kBytesCopied, taken);
  return taken;
}

bool GatheredExchange::all_laid(const Cycle& cycle) const {
  const auto& ranks = trays_.ranks_of(node_);
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    return trays_.head(rank).laid.load(std::memory_order_acquire) >= done(cycle.index);
  });
}

// REQUIRES: all trays are laid.
Pieces GatheredExchange::pieces_for(const Cycle& cycle, int aggregator) const {
  Pieces pieces;
  for (const int rank : trays_.ranks_of(node_)) {
    const TrayLine& line = trays_.line(rank, cycle.slot, aggregator);
    if (line.length == 0) {
      continue;
    }
    if (pieces.empty() && !writes()) {
      pieces.push_back(bytes_of(own_line(cycle, aggregator).valid_end));
    }
    append(pieces,
           {trays_.bytes(rank, cycle.slot) + line.offset, static_cast<size_t>(line.length)});
  }
  return pieces;
}

void GatheredExchange::send(MessageSet& set, const Pieces& pieces, int to) const {
  with_.workspace.observer.count(Counter::kMessages, 1);
  const std::vector<std::span<const std::byte>> unchanged(pieces.begin(), pieces.end());
  set.send_pieces(unchanged, to, kGatherTag);
}

// REQUIRES: all trays are laid.
void GatheredExchange::post_carried(Cycle& cycle) {
  Slot& now = slot(cycle);
  for (const int index : carries_) {
    const Pieces pieces = pieces_for(cycle, index);
    const int aggregator = plan_.strategy.aggregators[static_cast<size_t>(index)];
    if (pieces.empty()) {
      continue;
    }
    if (writes()) {
      send(*now.carried, pieces, aggregator);
    } else {
      now.carried->receive_pieces(pieces, aggregator, kGatherTag);
    }
  }
  now.posted = true;
}

// Does of our carrying what can be done at once; true when all is.
bool GatheredExchange::carried(Cycle& cycle) {
  Slot& now = slot(cycle);
  if (!now.posted && (carries_.empty() || all_laid(cycle))) {
    post_carried(cycle);
  }
  if (now.posted && !now.ended) {
    const auto complete = now.carried->test();
    if (!complete || *complete) {
      return end_carried(cycle), true;
    }
  }
  return now.ended;
}

// Tells our node also of a failure, lest anyone waits: then nothing has come.
Status GatheredExchange::end_carried(Cycle& cycle) {
  Slot& now = slot(cycle);
  if (now.ended) {
    return now.outcome;
  }
  if (!now.posted) {
    for (const int rank : trays_.ranks_of(node_)) {
      TrayHead& head = trays_.head(rank);
      with_.wait_for(head.changed, [&] {
        return carries_.empty() || head.laid.load(std::memory_order_acquire) >= done(cycle.index);
      });
    }
    post_carried(cycle);
  }
  now.outcome = with_.wait_for(*now.carried, cycle);
  for (const int index : carries_) {
    TrayLine& line = own_line(cycle, index);
    line.valid_end = now.outcome ? line.valid_end : 0;
  }
  TrayHead& own = trays_.head(plan_.rank);
  own.carried.store(done(cycle.index), std::memory_order_release);
  own.changed.raise();
  now.ended = true;
  return now.outcome;
}

bool GatheredExchange::carried_for(const Outgoing& own, const Cycle& cycle) const {
  const TrayHead& head = trays_.head(trays_.porter(node_, own.aggregator));
  return !own.gathered || head.carried.load(std::memory_order_acquire) >= done(cycle.index);
}

bool GatheredExchange::moved(Cycle& cycle) {
  const bool ours = carried(cycle);
  const auto theirs = slot(cycle).to_us->test();
  return ours && (!theirs || *theirs);
}

void GatheredExchange::begin_fill(Cycle& cycle) {
  slot(cycle) = {with_.comm.messages(), with_.comm.messages(), false, false, {}};
  choose_gathered(cycle);
  messages_->begin_fill(cycle);
  for (const auto& [node, pieces] : pieces_by_node(cycle)) {
    slot(cycle).to_us->receive_pieces(pieces, trays_.porter(node, plan_.my_index), kGatherTag);
  }
  await_tray(cycle);
  lay_tray(cycle);
  (void)carried(cycle);
}

Status GatheredExchange::finish_fill(Cycle& cycle) {
  const Status ours = end_carried(cycle);
  const Status theirs = with_.wait_for(*slot(cycle).to_us, cycle);
  const Status rest = messages_->finish_fill(cycle);  // puts all in place
  return !ours ? ours : !theirs ? theirs : rest;
}

void GatheredExchange::begin_deliver(Cycle& cycle) {
  slot(cycle) = {with_.comm.messages(), with_.comm.messages(), false, false, {}};
  choose_gathered(cycle);
  messages_->begin_deliver(cycle);  // packs all
  for (const auto& [node, pieces] : pieces_by_node(cycle)) {
    send(*slot(cycle).to_us, pieces, trays_.porter(node, plan_.my_index));
  }
  await_tray(cycle);
  lay_tray(cycle);
  (void)carried(cycle);
}

bool GatheredExchange::delivered(Cycle& cycle) {
  return moved(cycle) && messages_->delivered(cycle) &&
         std::all_of(cycle.outgoing.begin(), cycle.outgoing.end(),
                     [&](const Outgoing& own) { return carried_for(own, cycle); });
}

Result<int64_t> GatheredExchange::finish_deliver(Cycle& cycle) {
  const Status ours = end_carried(cycle);
  const int64_t taken = unpack(cycle);
  const Status theirs = with_.wait_for(*slot(cycle).to_us, cycle);
  const auto rest = messages_->finish_deliver(cycle);
  if (!ours || !theirs) {
    return fail(ours ? theirs.error() : ours.error());
  }
  return rest ? Result<int64_t>(taken + *rest) : rest;
}

}  // namespace

std::unique_ptr<Exchange> make_gathered_exchange(const ExchangeParts& parts) {
  return std::make_unique<GatheredExchange>(parts);
}

}  // namespace longshore
