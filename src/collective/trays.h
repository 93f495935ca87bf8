// collective/trays.h - memory in which ranks lay what leaves their host or comes to it.
//
// Every rank has a tray that all ranks of its host reach: one of them, the porter, sends what all
// have for an aggregator of another host, or receives it, without a copy of its own.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "comm/signal.h"
#include "core/result.h"

namespace longshore {

// In front of a tray; all zero when new. Cycles are numbered over all calls and only rise, as in
// ShmHead. The owner stores, the ranks of its host load.
struct TrayHead {
  Signal changed;                // one of the numbers has
  std::atomic<int64_t> laid;     // cycles for which the owner's tray says what is where
  std::atomic<int64_t> carried;  // cycles whose messages the owner, a porter, is done with
};

// One for each slot and aggregator.
struct TrayLine {
  int64_t offset = 0;  // of the owner's bytes for this aggregator in its tray
  int64_t length = 0;
  int64_t valid_end = 0;  // a read: what the aggregator told the owner, its porter
};

// The most bytes that a rank lays for one aggregator in a cycle: a larger part gains little from
// company. Small enough that the trays of a host, of all its ranks and slots, stay within 256 MiB,
// but for thousands of aggregators.
[[nodiscard]] int64_t tray_quota(int64_t aggregators, int64_t ranks_of_host, int64_t slot_bytes);

class Trays {
 public:
  // Collective, with the same arguments everywhere: before each call that uses trays. `slot_bytes`
  // is an aggregator's buffer in a cycle. Fails on all ranks alike if a host has no memory to
  // share.
  [[nodiscard]] Status prepare(Communicator& comm, const std::vector<int>& aggregators,
                               int64_t slot_bytes);

  [[nodiscard]] int64_t quota_bytes() const { return quota_bytes_; }
  // Of ranks of our own node.
  [[nodiscard]] TrayHead& head(int rank) const;
  [[nodiscard]] TrayLine& line(int rank, int slot, int aggregator) const;
  [[nodiscard]] std::byte* bytes(int rank, int slot) const;

  [[nodiscard]] const std::vector<int>& ranks_of(int node) const {
    return ranks_[static_cast<size_t>(node)];
  }
  // Who carries between a node and an aggregator of another one.
  [[nodiscard]] int porter(int node, int aggregator) const {
    const auto& ranks = ranks_of(node);
    return ranks[static_cast<size_t>(aggregator) % ranks.size()];
  }

  // Cycles of all calls through trays so far; the same on all ranks.
  [[nodiscard]] int64_t cycles_past() const { return memory_->cycles_past; }
  void pass_cycles(int64_t cycles) { memory_->cycles_past += cycles; }

 private:
  NodeMemory* memory_ = nullptr;
  int64_t memory_bytes_ = 0;
  std::vector<std::vector<int>> ranks_;  // by node
  int64_t aggregators_ = 0;
  int64_t quota_bytes_ = 0;
  int64_t slot_bytes_ = 0;
  int64_t head_bytes_ = 0;
};

}  // namespace longshore
