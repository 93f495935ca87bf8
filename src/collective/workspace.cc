#include "collective/workspace.h"

#include <algorithm>

#include "collective/exchange_shm.h"

namespace longshore {

namespace {

// Ranks numbered within their node.
std::vector<int> local_indices(const NodeMap& nodes) {
  std::vector<int> next(static_cast<size_t>(nodes.nodes()), 0);
  std::vector<int> local;
  for (const int node : nodes.node_of_rank) {
    local.push_back(next[static_cast<size_t>(node)]++);
  }
  return local;
}

}  // namespace

// Buffers only grow: a region over them stays good for smaller calls.
Status AggregatorBuffers::prepare(Communicator& comm, const std::vector<int>& aggregators,
                                  int64_t slot_bytes, bool shared) {
  slot_bytes = whole_pages(slot_bytes);
  if (shared == shared_ && aggregators == aggregators_ && slot_bytes <= slot_bytes_) {
    return {};
  }
  release();
  if (local_.empty()) {
    local_ = local_indices(comm.nodes());
  }
  slot_bytes_ = std::max(slot_bytes, slot_bytes_);
  aggregators_.clear();  // until it has worked
  if (shared) {
    if (auto status = prepare_shared(comm, aggregators); !status) {
      return status;
    }
  } else if (std::find(aggregators.begin(), aggregators.end(), comm.rank()) != aggregators.end()) {
    own_ = private_.take(kMostSlots * slot_bytes_).data();
  }
  shared_ = shared;
  aggregators_ = aggregators;
  return {};
}

Status AggregatorBuffers::prepare_shared(Communicator& comm, const std::vector<int>& aggregators) {
  head_bytes_ = whole_pages(ShmHead::bytes_for(comm.size()));
  auto memory = comm.node_memory(NodeUse::kBuffers, aggregators,
                                 static_cast<size_t>(head_bytes_ + kMostSlots * slot_bytes_));
  if (!memory) {
    return fail(memory.error());
  }
  node_ = *memory;
  const auto mine = node_->of(comm.rank());
  own_ = mine.empty() ? nullptr : mine.data() + head_bytes_;
  return {};
}

std::byte* AggregatorBuffers::head_of(int rank) const { return node_->of(rank).data(); }

std::byte* AggregatorBuffers::slot_of(int rank, int index) const {
  return head_of(rank) + head_bytes_ + index * slot_bytes_;
}

Result<Region*> AggregatorBuffers::region(Communicator& comm) {
  if (!region_) {
    const bool aggregates =
        std::find(aggregators_.begin(), aggregators_.end(), comm.rank()) != aggregators_.end();
    const auto bytes = static_cast<size_t>(kMostSlots * slot_bytes_);
    auto made = comm.expose(aggregates ? std::span(own_, bytes) : std::span<std::byte>());
    if (!made) {
      return fail(made.error());
    }
    region_ = std::move(*made);
  }
  return region_.get();
}

void AggregatorBuffers::release() {
  if (region_) {
    region_->release();
    region_.reset();
  }
}

}  // namespace longshore
