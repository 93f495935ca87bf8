#include "collective/exchange.h"

#include <utility>

namespace longshore {

namespace {

// One exchange within the node, another one between nodes.
class CombinedExchange final : public Exchange {
 public:
  CombinedExchange(Communicator& comm, std::unique_ptr<Exchange> near,
                   std::unique_ptr<Exchange> far)
      : comm_(comm), near_(std::move(near)), far_(std::move(far)) {}

  // What leaves the node goes first: it is under way while the rest is copied.
  void begin_fill(Cycle& cycle) override {
    far_->begin_fill(cycle);
    near_->begin_fill(cycle);
  }
  // The far side is asked first, whatever the near one says: asking drives it.
  bool filled(Cycle& cycle) override { return far_->filled(cycle) && near_->filled(cycle); }
  Status finish_fill(Cycle& cycle) override {
    const Status far = far_->finish_fill(cycle);
    const Status near = near_->finish_fill(cycle);
    return far ? near : far;
  }
  void release(Cycle& cycle) override {
    near_->release(cycle);
    far_->release(cycle);
  }
  void reserve(Cycle& cycle) override {
    near_->reserve(cycle);
    far_->reserve(cycle);
  }
  void begin_deliver(Cycle& cycle) override {
    near_->begin_deliver(cycle);
    far_->begin_deliver(cycle);
  }
  bool delivered(Cycle& cycle) override {
    return far_->delivered(cycle) && near_->delivered(cycle);
  }
  Result<int64_t> finish_deliver(Cycle& cycle) override {
    const auto near = near_->finish_deliver(cycle);
    const auto far = far_->finish_deliver(cycle);
    if (!near || !far) {
      return fail(near ? far.error() : near.error());
    }
    return *near + *far;
  }
  Status close(const Status& mine) override { return agree(comm_, mine); }

 private:
  Communicator& comm_;
  std::unique_ptr<Exchange> near_;
  std::unique_ptr<Exchange> far_;
};

std::unique_ptr<Exchange> make_one(ExchangeKind kind, const ExchangeParts& parts) {
  if (kind == ExchangeKind::kShm) {
    return make_shm_exchange(parts);
  }
  if (kind == ExchangeKind::kTwoSided) {
    return make_message_exchange(parts);
  }
  if (kind == ExchangeKind::kGathered) {
    return make_gathered_exchange(parts);
  }
  auto region = parts.workspace.buffers.region(parts.comm);
  if (!region) {
    return make_message_exchange(parts);  // an MPI that cannot: failed alike on all ranks
  }
  return make_rma_exchange(parts, **region, kind == ExchangeKind::kRmaFence);
}

}  // namespace

std::unique_ptr<Exchange> make_exchange(Communicator& comm, Workspace& workspace,
                                        const CallPlan& plan) {
  const auto& strategy = plan.strategy;
  const auto parts = [&](Reach::Kind reach) {
    return ExchangeParts{comm, workspace, plan, Reach(reach, comm.nodes(), comm.rank())};
  };
  if (strategy.near == strategy.far || comm.nodes().nodes() == 1) {
    return make_one(strategy.near, parts(Reach::kAll));
  }
  return std::make_unique<CombinedExchange>(comm, make_one(strategy.near, parts(Reach::kOwnNode)),
                                            make_one(strategy.far, parts(Reach::kOtherNodes)));
}

}  // namespace longshore
