// collective/exchange_shm.h - what lies in front of an aggregator's shared buffers.
#pragma once
#include <atomic>
#include <cstdint>

#include "comm/signal.h"

namespace longshore {

// All zero when new. Cycles are numbered over all calls (NodeMemory::cycles_past), so that
// nothing has to be reset: every number only rises, and a call waits only for numbers that are
// stored during that call.
struct ShmHead {
  Signal from_ranks;                  // some rank's progress has changed
  Signal from_owner;                  // released or loaded has changed
  std::atomic<int64_t> released;      // cycles whose windows are on storage
  std::atomic<int64_t> loaded;        // cycles whose windows hold the file's bytes
  std::atomic<int64_t> valid_end[2];  // of the loaded cycle, by slot
  // How the owner's part of a call ended: its last cycle times kClasses, and the error class.
  std::atomic<int64_t> closed;

  static constexpr int64_t kClasses = 256;

  // Per rank of the node: cycles that it has filled, or taken its bytes from.
  [[nodiscard]] std::atomic<int64_t>& progress(int local_rank) {
    return *reinterpret_cast<std::atomic<int64_t>*>(reinterpret_cast<std::byte*>(this) +
                                                    kProgressOffset + local_rank * kLineBytes);
  }
  [[nodiscard]] static int64_t bytes_for(int ranks) {
    return kProgressOffset + int64_t{ranks} * kLineBytes;
  }

 private:
  static constexpr int64_t kLineBytes = 64;
  static constexpr int64_t kProgressOffset = 128;
};
static_assert(std::atomic<int64_t>::is_always_lock_free);
static_assert(sizeof(ShmHead) <= 128, "the ranks' lines begin there");

}  // namespace longshore
