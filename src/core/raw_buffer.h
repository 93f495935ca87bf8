// core/raw_buffer.h - scratch memory that is reused and never zeroed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace longshore {

class RawBuffer {
 public:
  // `bytes` of memory with any content; what an earlier call returned is invalid if it had to grow.
  [[nodiscard]] std::span<std::byte> take(int64_t bytes) {
    const auto wanted = static_cast<size_t>(bytes);
    if (wanted > capacity_) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(wanted);
      capacity_ = wanted;
    }
    return {memory_.get(), wanted};
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  size_t capacity_ = 0;
};

}  // namespace longshore
