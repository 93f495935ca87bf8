#include "collective/two_phase.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "collective/cycle.h"
#include "collective/exchange.h"
#include "collective/tags.h"
#include "independent/range_lock.h"

namespace longshore {

namespace {

constexpr int64_t kAllValid = std::numeric_limits<int64_t>::max();

// The two stages of a transfer over one plan.
class TwoPhase {
 public:
  TwoPhase(TwoPhaseParts parts, const CallPlan& plan, Exchange& exchange)
      : with_(parts), plan_(plan), exchange_(exchange) {}
  virtual ~TwoPhase() = default;

  void run(bool exchange_first) {
    ExchangeStage exchange(*this);
    StorageStage storage(*this);
    run_pipeline(plan_.strategy.pipeline, {exchange, storage, exchange_first},
                 plan_.partition.cycles());
  }

 protected:
  virtual void begin_exchange(Cycle& cycle) = 0;
  virtual bool exchange_ready(Cycle& cycle) = 0;
  virtual void end_exchange(Cycle& cycle) = 0;
  virtual void begin_storage(Cycle& cycle) = 0;
  virtual void end_storage(Cycle& cycle) = 0;

  [[nodiscard]] Cycle& cycle_at(int64_t index) {
    return cycles_[static_cast<size_t>(index % buffers_of(plan_.strategy.pipeline))];
  }
  // The first stage of a cycle plans it.
  Cycle& open_cycle(int64_t index) {
    Cycle& cycle = cycle_at(index);
    cycle.index = index;
    cycle.slot = static_cast<int>(index % buffers_of(plan_.strategy.pipeline));
    cycle.outgoing = plan_.outgoing(index);
    cycle.windows = plan_.my_index < 0
                        ? std::vector<Window>()
                        : plan_.windows(index, with_.workspace.buffers.slot(cycle.slot));
    cycle.pieces.clear();
    return cycle;
  }
  [[nodiscard]] bool in_background() const {
    return stores_in_background(plan_.strategy.pipeline) && with_.write_locks == nullptr;
  }
  void note(const Error& error) {
    if (status_ && error.code != ErrorClass::kOk) {
      status_ = fail(error);
    }
  }
  void note(const Status& status) {
    if (!status) {
      note(status.error());
    }
  }

  TwoPhaseParts with_;
  const CallPlan& plan_;
  Exchange& exchange_;
  Status status_;

 private:
  struct ExchangeStage final : Stage {
    explicit ExchangeStage(TwoPhase& owner) : engine(owner) {}
    void begin(int64_t index) override {
      Cycle& cycle = engine.reach_cycle(index);
      const Phase phase(engine.observer(), Counter::kExchangeNs, "begin exchange", "engine", index);
      engine.begin_exchange(cycle);
    }
    bool ready(int64_t index) override { return engine.exchange_ready(engine.cycle_at(index)); }
    void end(int64_t index) override {
      const Phase phase(engine.observer(), Counter::kExchangeNs, "end exchange", "engine", index);
      engine.end_exchange(engine.cycle_at(index));
    }
    TwoPhase& engine;
  };
  struct StorageStage final : Stage {
    explicit StorageStage(TwoPhase& owner) : engine(owner) {}
    void begin(int64_t index) override { engine.begin_storage(engine.reach_cycle(index)); }
    bool ready(int64_t index) override {
      const Cycle& cycle = engine.cycle_at(index);
      return !cycle.pending || cycle.pending->ready();
    }
    void end(int64_t index) override { engine.end_storage(engine.cycle_at(index)); }
    TwoPhase& engine;
  };
  [[nodiscard]] Observer& observer() { return with_.workspace.observer; }
  Cycle& reach_cycle(int64_t index) {
    if (index < opened_) {
      return cycle_at(index);
    }
    ++opened_;
    const Phase phase(observer(), Counter::kPlanNs, "plan", "engine", index);
    return open_cycle(index);
  }

  std::array<Cycle, kMostSlots> cycles_;
  int64_t opened_ = 0;
};

class TwoPhaseWrite final : public TwoPhase {
 public:
  using TwoPhase::TwoPhase;
  Outcome finish();

 private:
  void begin_exchange(Cycle& cycle) override { exchange_.begin_fill(cycle); }
  bool exchange_ready(Cycle& cycle) override { return exchange_.filled(cycle); }
  void end_exchange(Cycle& cycle) override { note(exchange_.finish_fill(cycle)); }
  void begin_storage(Cycle& cycle) override;
  void end_storage(Cycle& cycle) override;
  void settle(const Cycle& cycle, const Outcome& written);
  [[nodiscard]] int64_t written_of(int rank) const;
  [[nodiscard]] Result<int64_t> count_written() const;

  // Cycles that are not wholly on storage, with the file offset up to which they are.
  std::map<int64_t, int64_t> incomplete_;
};

void TwoPhaseWrite::begin_storage(Cycle& cycle) {
  if (!cycle.has_parts()) {
    return;
  }
  if (!status_) {
    incomplete_[cycle.index] = 0;
    return;
  }
  for (const auto& window : cycle.windows) {
    window.add_covered(with_.workspace.coverage, cycle.pieces);
  }
  if (in_background()) {
    cycle.pending = with_.storage.start(IoKind::kWrite, cycle.pieces);
  } else {
    settle(cycle, write_pieces(with_.storage, with_.write_locks, cycle.pieces));
  }
}

void TwoPhaseWrite::settle(const Cycle& cycle, const Outcome& written) {
  if (!written.ok()) {
    note(written.error);
    incomplete_[cycle.index] = valid_end(cycle.pieces, written.bytes, kAllValid);
  }
}

void TwoPhaseWrite::end_storage(Cycle& cycle) {
  if (cycle.pending) {
    settle(cycle, cycle.pending->wait());
    cycle.pending.reset();
  }
  exchange_.release(cycle);
}

// Bytes of a contributor that are in our part of the file.
int64_t TwoPhaseWrite::written_of(int rank) const {
  int64_t written = 0;
  for (int64_t index = 0; index < plan_.partition.cycles(); ++index) {
    const auto cut = incomplete_.find(index);
    const int64_t end = cut == incomplete_.end() ? kAllValid : cut->second;
    for (const auto& window : plan_.windows(index, nullptr)) {
      for (const auto& part : window.parts()) {
        written += part.rank == rank ? plan_.bytes_before(part, end) : 0;
      }
    }
  }
  return written;
}

// Each aggregator tells those who came to it.
Result<int64_t> TwoPhaseWrite::count_written() const {
  auto set = with_.comm.messages();
  std::vector<int64_t> told(plan_.contributors.size());
  for (size_t i = 0; i < told.size(); ++i) {
    told[i] = written_of(plan_.contributors[i].rank);
    set->send(std::as_bytes(std::span(&told[i], 1)), plan_.contributors[i].rank, kCountTag);
  }
  std::vector<int64_t> heard(plan_.strategy.aggregators.size(), 0);
  for (size_t i = 0; i < heard.size(); ++i) {
    const Extent domain = plan_.partition.domain(static_cast<int>(i));
    if (plan_.own.exchanges() && !intersect(plan_.own.hull, domain).empty()) {
      set->receive(std::as_writable_bytes(std::span(&heard[i], 1)), plan_.strategy.aggregators[i],
                   kCountTag);
    }
  }
  if (auto status = set->wait(); !status) {
    return fail(status.error());
  }
  return std::accumulate(heard.begin(), heard.end(), int64_t{0});
}

Outcome TwoPhaseWrite::finish() {
  const Status common = exchange_.close(status_ ? with_.before : status_);
  if (common) {
    return {plan_.mine.bytes(), {}};
  }
  const auto written = count_written();
  return {written ? *written : 0, common.error()};
}

class TwoPhaseRead final : public TwoPhase {
 public:
  using TwoPhase::TwoPhase;
  Outcome finish() {
    const Status common = exchange_.close(status_ ? with_.before : status_);
    return {taken_, common ? Error{} : common.error()};
  }

 private:
  void begin_exchange(Cycle& cycle) override { exchange_.begin_deliver(cycle); }
  bool exchange_ready(Cycle& cycle) override { return exchange_.delivered(cycle); }
  void end_exchange(Cycle& cycle) override {
    const auto taken = exchange_.finish_deliver(cycle);
    if (taken) {
      taken_ += *taken;
    } else {
      note(taken.error());
    }
  }
  void begin_storage(Cycle& cycle) override;
  void end_storage(Cycle& cycle) override;
  void settle(Cycle& cycle, const Outcome& got);

  int64_t taken_ = 0;
};

void TwoPhaseRead::begin_storage(Cycle& cycle) {
  exchange_.reserve(cycle);
  cycle.valid_end = 0;
  if (!cycle.has_parts() || !status_) {
    return;
  }
  for (const auto& window : cycle.windows) {
    if (!window.parts().empty()) {
      window.add_wanted(with_.workspace.coverage, cycle.pieces);
    }
  }
  if (in_background()) {
    cycle.pending = with_.storage.start(IoKind::kRead, cycle.pieces);
  } else {
    settle(cycle, with_.storage.transfer(IoKind::kRead, cycle.pieces));
  }
}

void TwoPhaseRead::settle(Cycle& cycle, const Outcome& got) {
  note(got.error);
  cycle.valid_end = valid_end(cycle.pieces, got.bytes, kAllValid);
}

void TwoPhaseRead::end_storage(Cycle& cycle) {
  if (cycle.pending) {
    settle(cycle, cycle.pending->wait());
    cycle.pending.reset();
  }
}

// Without trays every rank sends for itself.
void prepare_trays(TwoPhaseParts& parts, const Partition& partition, Strategy& strategy) {
  if (strategy.far == ExchangeKind::kGathered &&
      (parts.comm.nodes().nodes() == 1 || strategy.near != ExchangeKind::kShm ||
       !parts.workspace.trays.prepare(parts.comm, strategy.aggregators,
                                      partition.buffer_bytes()))) {
    strategy.far = ExchangeKind::kTwoSided;
  }
}

// Buffers for the strategy; a host without memory to share is served by messages.
Status prepare_buffers(TwoPhaseParts& parts, const Partition& partition, Strategy& strategy) {
  auto& buffers = parts.workspace.buffers;
  const auto& aggregators = strategy.aggregators;
  const int64_t bytes = partition.buffer_bytes();
  if (strategy.near == ExchangeKind::kShm) {
    if (buffers.prepare(parts.comm, aggregators, bytes, true)) {
      return {};
    }
    strategy.near = ExchangeKind::kTwoSided;
  }
  return buffers.prepare(parts.comm, aggregators, bytes, false);
}

int index_of(int rank, const std::vector<int>& aggregators) {
  const auto place = std::find(aggregators.begin(), aggregators.end(), rank);
  return place == aggregators.end() ? -1 : static_cast<int>(place - aggregators.begin());
}

// Where most bytes of the range are wanted and every rank takes its own out of shared memory.
bool reads_blindly(Communicator& comm, const Access& mine, const Summary& summary,
                   const Strategy& strategy) {
  constexpr int64_t kDense = 2;
  return mine.kind == IoKind::kRead && comm.nodes().nodes() == 1 &&
         strategy.near == ExchangeKind::kShm && summary.bytes * kDense >= summary.range.length();
}

Outcome run_plan(TwoPhaseParts parts, const CallPlan& plan) {
  const auto exchange = make_exchange(parts.comm, parts.workspace, plan);
  const bool writes = plan.mine.kind == IoKind::kWrite;
  Outcome outcome;
  if (writes) {
    TwoPhaseWrite engine(parts, plan, *exchange);
    engine.run(true);
    outcome = engine.finish();
  } else {
    TwoPhaseRead engine(parts, plan, *exchange);
    engine.run(false);
    outcome = engine.finish();
  }
  parts.workspace.buffers.pass_cycles(plan.partition.cycles());
  if (plan.strategy.far == ExchangeKind::kGathered) {
    parts.workspace.trays.pass_cycles(plan.partition.cycles());
  }
  return outcome;
}

}  // namespace

Outcome run_two_phase(TwoPhaseParts parts, const Access& mine, const Census& census,
                      Strategy strategy) {
  auto partition = Partition::make(census.summary.range, strategy.partition);
  if (!partition) {
    return {0, partition.error()};
  }
  if (parts.comm.size() == 1) {
    strategy.near = strategy.far = ExchangeKind::kTwoSided;  // nothing is exchanged
  }
  if (partition->cycles() <= 1) {
    strategy.pipeline = PipelineKind::kNone;
  }
  if (auto ready = prepare_buffers(parts, *partition, strategy); !ready) {
    return {0, ready.error()};
  }
  prepare_trays(parts, *partition, strategy);
  const auto& aggregators = strategy.aggregators;
  const int rank = parts.comm.rank();
  const int index = index_of(rank, aggregators);
  auto contributors = find_contributors(parts.comm, census, *partition, aggregators, index);
  if (!contributors) {
    return {0, contributors.error()};
  }
  const bool blind = reads_blindly(parts.comm, mine, census.summary, strategy);
  if (!blind) {
    if (auto shipped =
            parts.views.ship(parts.comm, mine, census.own, *contributors, *partition, aggregators);
        !shipped) {
      return {0, shipped.error()};
    }
  }
  // Ranks that exchange nothing may have met an error of their own.
  const bool aggregators_tell = census.summary.exchanging == parts.comm.size();
  const CallPlan plan{mine,        census.own, *contributors, strategy, *partition,
                      parts.views, rank,       index,         blind,    aggregators_tell};
  return run_plan(parts, plan);
}

}  // namespace longshore
