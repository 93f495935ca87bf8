#include "collective/trays.h"

#include <algorithm>
#include <numeric>

#include "collective/slots.h"

namespace longshore {

namespace {

constexpr int64_t kTrayBytes = 16 << 20;
constexpr int64_t kHostBytes = 256 << 20;
constexpr int64_t kLeastQuota = 4096;
constexpr int64_t kLinesOffset = 64;
static_assert(sizeof(TrayHead) <= kLinesOffset, "the lines begin there");

// The aggregators that are remote for the node with the fewest of its own.
int64_t most_remote(const NodeMap& nodes, const std::vector<int>& aggregators) {
  std::vector<int64_t> own(static_cast<size_t>(nodes.nodes()), 0);
  for (const int rank : aggregators) {
    ++own[static_cast<size_t>(nodes.node_of_rank[static_cast<size_t>(rank)])];
  }
  return static_cast<int64_t>(aggregators.size()) - *std::min_element(own.begin(), own.end());
}

}  // namespace

int64_t tray_quota(int64_t aggregators, int64_t ranks_of_host, int64_t slot_bytes) {
  const int64_t tray = std::min(kTrayBytes, kHostBytes / kMostSlots / ranks_of_host);
  return std::min(slot_bytes, std::max(kLeastQuota, tray / aggregators));
}

Status Trays::prepare(Communicator& comm, const std::vector<int>& aggregators, int64_t slot_bytes) {
  if (ranks_.empty()) {
    ranks_ = ranks_by_node(comm.nodes());
  }
  size_t most = 0;
  for (const auto& ranks : ranks_) {
    most = std::max(most, ranks.size());
  }
  aggregators_ = static_cast<int64_t>(aggregators.size());
  quota_bytes_ = tray_quota(aggregators_, static_cast<int64_t>(most), slot_bytes);
  slot_bytes_ = quota_bytes_ * most_remote(comm.nodes(), aggregators);
  head_bytes_ = whole_pages(kLinesOffset +
                            kMostSlots * aggregators_ * static_cast<int64_t>(sizeof(TrayLine)));
  const int64_t bytes = whole_pages(head_bytes_ + kMostSlots * slot_bytes_);
  if (bytes <= memory_bytes_) {
    return {};
  }
  std::vector<int> everyone(static_cast<size_t>(comm.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  auto memory = comm.node_memory(NodeUse::kTrays, everyone, static_cast<size_t>(bytes));
  if (!memory) {
    return fail(memory.error());
  }
  memory_ = *memory;
  memory_bytes_ = bytes;
  return {};
}

TrayHead& Trays::head(int rank) const {
  return *reinterpret_cast<TrayHead*>(memory_->of(rank).data());
}

TrayLine& Trays::line(int rank, int slot, int aggregator) const {
  auto* lines = reinterpret_cast<TrayLine*>(memory_->of(rank).data() + kLinesOffset);
  return lines[slot * aggregators_ + aggregator];
}

std::byte* Trays::bytes(int rank, int slot) const {
  return memory_->of(rank).data() + head_bytes_ + slot * slot_bytes_;
}

}  // namespace longshore
