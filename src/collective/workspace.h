// collective/workspace.h - memory of the collective engine that lives as long as the file, so that
// its pages are touched once.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collective/coverage.h"
#include "collective/slots.h"
#include "collective/strategy.h"
#include "collective/trays.h"
#include "comm/communicator.h"
#include "core/observer.h"
#include "core/raw_buffer.h"
#include "core/result.h"

namespace longshore {

// The aggregators' buffers: `slots` of them each, private or shared with the ranks of the node.
class AggregatorBuffers {
 public:
  // Collective, with the same arguments everywhere. With `shared`, fails on all ranks alike if a
  // host has no memory to share.
  [[nodiscard]] Status prepare(Communicator& comm, const std::vector<int>& aggregators,
                               int64_t slot_bytes, bool shared);

  // Our own buffer; REQUIRES: we aggregate.
  [[nodiscard]] std::byte* slot(int index) const { return own_ + index * slot_bytes_; }
  // The buffer of an aggregator on our node, and what lies in front of all its buffers.
  // REQUIRES: prepared as shared.
  [[nodiscard]] std::byte* slot_of(int rank, int index) const;
  [[nodiscard]] std::byte* head_of(int rank) const;
  // Our place among the ranks of our node.
  [[nodiscard]] int local_index(int rank) const { return local_[static_cast<size_t>(rank)]; }

  // Cycles of all calls through the shared memory so far; the same on all ranks.
  [[nodiscard]] int64_t cycles_past() const { return node_->cycles_past; }
  void pass_cycles(int64_t cycles) {
    if (shared_) {
      node_->cycles_past += cycles;
    }
  }

  // Our buffers exposed to one-sided transfers; collective the first time and whenever the buffers
  // have changed. Slot i begins at slot_offset(i).
  [[nodiscard]] Result<Region*> region(Communicator& comm);
  [[nodiscard]] int64_t slot_offset(int index) const { return index * slot_bytes_; }
  // Collective; before the file's communicator goes.
  void release();

 private:
  [[nodiscard]] Status prepare_shared(Communicator& comm, const std::vector<int>& aggregators);

  bool shared_ = false;
  std::vector<int> aggregators_;
  int64_t slot_bytes_ = 0;
  int64_t head_bytes_ = 0;
  std::byte* own_ = nullptr;
  RawBuffer private_;
  NodeMemory* node_ = nullptr;
  std::vector<int> local_;
  std::unique_ptr<Region> region_;
};

struct Workspace {
  explicit Workspace(Observer& seen_by) : observer(seen_by) {}
  Observer& observer;
  AggregatorBuffers buffers;
  Trays trays;
  std::array<RawBuffer, kMostSlots> incoming;
  std::array<RawBuffer, kMostSlots> outgoing;
  Coverage coverage;
};

}  // namespace longshore
