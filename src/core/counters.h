// core/counters.h - what one file's calls cost, by phase.
//
// Counting is a relaxed addition: cheap enough to be always on. Values are plain integers in one
// array, so that ranks can sum them with one reduction.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace longshore {

enum class Counter : int {
  kPlanNs,        // cutting the bytes among aggregators, choosing a strategy
  kExchangeNs,    // moving bytes between ranks
  kWaitNs,        // waiting for other ranks or for a transfer in flight
  kStorageNs,     // inside storage calls
  kBytesRead,     // from storage
  kBytesWritten,  // to storage
  kBytesCopied,   // between memories: packing, unpacking, staging
  kMessages,      // sent to other ranks
  kStorageCalls,  // transfers asked of storage
  kRmwBytes,      // read only to be written back around a smaller change
  kCallNs,        // inside the program's transfers, syncs and closes; only if reports are asked for
  // The program's own calls, by each rank. Independent ones by the way they went:
  kWritesDirect,
  kWritesList,
  kWritesSieve,
  kWritesPages,
  kReadsDirect,
  kReadsList,
  kReadsSieve,
  kReadsPages,
  kIndependentWriteBytes,
  kIndependentReadBytes,
  kCollectiveWrites,
  kCollectiveReads,
  kCollectiveWriteBytes,
  kCollectiveReadBytes,
  kCollectiveAlone,  // of the collective calls: carried out by every rank for itself
};
inline constexpr size_t kCounterCount = static_cast<size_t>(Counter::kCollectiveAlone) + 1;

// In the enum's order.
using CounterValues = std::array<int64_t, kCounterCount>;

// The counter's name with its unit, such as "storage_ns".
[[nodiscard]] const char* name(Counter counter);

// All methods may be called by several threads at once; a value read while others count is some
// recent one.
class Counters {
 public:
  void add(Counter counter, int64_t amount) {
    values_[index(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  [[nodiscard]] int64_t get(Counter counter) const {
    return values_[index(counter)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] CounterValues snapshot() const;
  void reset();

 private:
  static constexpr size_t index(Counter counter) { return static_cast<size_t>(counter); }
  std::array<std::atomic<int64_t>, kCounterCount> values_{};
};

// Lines for people, the first naming `label` (a path); times in milliseconds. Ends with a newline.
[[nodiscard]] std::string render_text(std::string_view label, const CounterValues& values);

// One JSON object without line breaks: {"file":"<label>","plan_ns":0,...}. `more` is put before the
// closing brace: nothing, or members that begin with a comma.
[[nodiscard]] std::string render_json(std::string_view label, const CounterValues& values,
                                      std::string_view more = "");

// `text` as a JSON string with its quotes. Control characters are escaped; bytes that are not UTF-8
// become U+FFFD, so that any path gives a valid document.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace longshore
