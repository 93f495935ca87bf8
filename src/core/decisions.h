// core/decisions.h - what was decided for a file's calls, why, and how often.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

struct Decision {
  std::string call;  // "write_all"
  std::string how;
  std::string why;
  int64_t calls = 0;
};

// `[{"call":"write_all","how":"...","why":"...","calls":3}]`.
[[nodiscard]] std::string render_json(const std::vector<Decision>& decisions);

// All methods may be called by several threads at once.
class Decisions {
 public:
  // Counts one more call. `call` and `why` are literals; `key` stands for what `how()`, a function,
  // would say: it is called only for what is new.
  template <typename How>
  void note(const char* call, uint64_t key, const char* why, How how) {
    const std::lock_guard lock(mutex_);
    for (auto& each : entries_) {
      if (each.key == key && each.why == why && each.decision.call == call) {
        ++each.decision.calls;
        return;
      }
    }
    if (entries_.size() < kMost) {
      entries_.push_back({key, why, {call, how(), why, 1}});
    } else {
      ++others_;
    }
  }

  // In the order of their first call. Calls beyond the first few different decisions are counted
  // together, as the last entry.
  [[nodiscard]] std::vector<Decision> list() const;

 private:
  static constexpr size_t kMost = 16;
  struct Entry {
    uint64_t key;
    const char* why;
    Decision decision;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  int64_t others_ = 0;
};

}  // namespace longshore
