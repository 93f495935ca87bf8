// Pages in plain memory, and random accesses to such pages.
#pragma once
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "agent/ship_server.h"

namespace longshore {

// Holds the bytes [0, size) of a file; reads end there.
class MemoryPages final : public PageServer {
 public:
  explicit MemoryPages(int64_t size) : bytes_(static_cast<size_t>(size)) {}

  Status apply(int64_t offset, std::span<const std::byte> data) override {
    const std::lock_guard lock(mutex_);
    ++applied;
    if (failure || offset + static_cast<int64_t>(data.size()) > size()) {
      return fail(failure.value_or(Error{ErrorClass::kNoSpace, 28, "beyond the memory"}));
    }
    std::copy(data.begin(), data.end(), bytes_.begin() + offset);
    return {};
  }

  Outcome fetch(std::span<const Piece> pieces, std::span<std::byte> packed) override {
    const std::lock_guard lock(mutex_);
    Outcome outcome;
    if (failure) {
      outcome.error = *failure;
      return outcome;
    }
    for (const Piece& piece : pieces) {
      const int64_t there = std::clamp<int64_t>(size() - piece.offset, 0, piece.length);
      std::copy_n(bytes_.begin() + (there > 0 ? piece.offset : 0), there,
                  packed.begin() + outcome.bytes);
      outcome.bytes += there;
      if (there < piece.length) {
        break;
      }
    }
    return outcome;
  }

  Status expel(Extent range) override {
    const std::lock_guard lock(mutex_);
    expelled.push_back(range);
    return failure ? Status(fail(*failure)) : Status{};
  }

  void set_failure(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    failure = std::move(error);
  }
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  // REQUIRES: nobody applies.
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  int64_t applied = 0;
  std::vector<Extent> expelled;

 private:
  std::mutex mutex_;
  std::optional<Error> failure;
  std::vector<std::byte> bytes_;
};

}  // namespace longshore
