// collective/slots.h - how many cycles are unfinished at a time, and sizes of their memory.
#pragma once
#include <cstdint>

namespace longshore {

inline constexpr int kMostSlots = 2;

[[nodiscard]] constexpr int64_t whole_pages(int64_t bytes) {
  constexpr int64_t kPageBytes = 4096;
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace longshore
