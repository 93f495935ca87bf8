// collective/exchange.h - how the bytes of a cycle get from ranks to aggregators and back.
//
// Every exchange handles some of the pairs (rank, aggregator): all, those of one node, or those
// between nodes; see Reach. Cycles come in order; at most kMostSlots are unfinished.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collective/cycle.h"
#include "collective/strategy.h"
#include "collective/workspace.h"
#include "comm/communicator.h"
#include "comm/signal.h"
#include "core/observer.h"
#include "core/result.h"

namespace longshore {

class Exchange {
 public:
  virtual ~Exchange() = default;

  // A write: after finish_fill() our own bytes are on their way or there, and the windows hold the
  // bytes of all ranks. Our memory is the program's again.
  virtual void begin_fill(Cycle& cycle) = 0;
  [[nodiscard]] virtual bool filled(Cycle& cycle) = 0;
  [[nodiscard]] virtual Status finish_fill(Cycle& cycle) = 0;
  // The cycle's windows are on storage: the buffer may be filled again.
  virtual void release(Cycle& cycle) = 0;

  // A read: returns when the cycle's buffer may be loaded over.
  virtual void reserve(Cycle& cycle) = 0;
  // The windows are loaded up to cycle.valid_end. After finish_deliver() all ranks with bytes in
  // them have those, as far as this rank has to care, and our own are in the program's memory; the
  // result counts the latter.
  virtual void begin_deliver(Cycle& cycle) = 0;
  [[nodiscard]] virtual bool delivered(Cycle& cycle) = 0;
  [[nodiscard]] virtual Result<int64_t> finish_deliver(Cycle& cycle) = 0;

  // Ends the call: tells how it went here and returns what all ranks return, as agree() does. Every
  // aggregator's storage is done when it returns, and its buffers are free.
  [[nodiscard]] virtual Status close(const Status& mine) = 0;
};

// Which ranks an exchange handles.
class Reach {
 public:
  enum Kind { kAll, kOwnNode, kOtherNodes };
  Reach(Kind kind, const NodeMap& nodes, int rank) : kind_(kind), nodes_(&nodes), rank_(rank) {}
  [[nodiscard]] bool holds(int rank) const {
    return kind_ == kAll || (node(rank) == node(rank_)) == (kind_ == kOwnNode);
  }

 private:
  [[nodiscard]] int node(int rank) const { return nodes_->node_of_rank[static_cast<size_t>(rank)]; }
  Kind kind_;
  const NodeMap* nodes_;
  int rank_;
};

struct ExchangeParts {
  Communicator& comm;
  Workspace& workspace;
  const CallPlan& plan;
  Reach reach;

  // Waits for others, and counts that.
  template <typename Condition>
  void wait_for(Signal& signal, const Condition& holds) const {
    if (!holds()) {
      const Phase phase(workspace.observer, Counter::kWaitNs, "wait for ranks", "engine");
      signal.wait(holds, [this] { comm.progress(); });
    }
  }
  [[nodiscard]] Status wait_for(MessageSet& set, const Cycle& cycle) const {
    const Phase phase(workspace.observer, Counter::kWaitNs, "wait for messages", "engine",
                      cycle.index);
    return set.wait();
  }
};

// Collective, with the same strategy everywhere; workspace.buffers are prepared.
[[nodiscard]] std::unique_ptr<Exchange> make_exchange(Communicator& comm, Workspace& workspace,
                                                      const CallPlan& plan);

// The makes. RMA: see Workspace::buffers.region().
[[nodiscard]] std::unique_ptr<Exchange> make_message_exchange(const ExchangeParts& parts);
[[nodiscard]] std::unique_ptr<Exchange> make_shm_exchange(const ExchangeParts& parts);
// REQUIRES: workspace.trays are prepared; between nodes only.
[[nodiscard]] std::unique_ptr<Exchange> make_gathered_exchange(const ExchangeParts& parts);
[[nodiscard]] std::unique_ptr<Exchange> make_rma_exchange(const ExchangeParts& parts,
                                                          Region& region, bool by_fence);

}  // namespace longshore
