// agent/dirty_bits.h - which bytes of a page were written: one bit a byte.
//
// Exact whatever the number of ranges, and bounded: a list of ranges of 1-byte pieces with gaps
// would outgrow the page. Words lie in the page's own memory.
#pragma once
#include <bit>
#include <cstdint>

#include "core/extent.h"

namespace longshore {

class DirtyBits {
 public:
  static constexpr int64_t kWordBits = 64;
  static constexpr uint64_t kAll = ~uint64_t{0};
  [[nodiscard]] static constexpr int64_t bytes_for(int64_t page_bytes) { return page_bytes / 8; }

  explicit DirtyBits(uint64_t* words) : words_(words) {}

  // Sets the bits of `range` and returns how many were not set before.
  int64_t mark(Extent range) {
    int64_t known = 0;
    each_word(range, [&](uint64_t& word, uint64_t mask) {
      if ((word & mask) != 0) {
        known += std::popcount(word & mask);
      }
      word |= mask;
    });
    return range.length() - known;
  }
  void clear(Extent range) {
    each_word(range, [](uint64_t& word, uint64_t mask) { word &= ~mask; });
  }
  [[nodiscard]] bool all(Extent range) const {
    bool set = true;
    each_word(range, [&](uint64_t word, uint64_t mask) { set = set && (word & mask) == mask; });
    return set;
  }

  // Calls use(Extent) for each longest run within `range` of bits that are set (or not set), in
  // order.
  template <typename Use>
  void each_run(Extent range, bool set, Use use) const {
    for (int64_t at = next(range.begin, range.end, set); at < range.end;) {
      const int64_t end = next(at, range.end, !set);
      use(Extent{at, end});
      at = next(end, range.end, set);
    }
  }

 private:
  // Calls use(word, mask) for the words of `range`, most of which are whole.
  template <typename Use>
  void each_word(Extent range, Use use) const {
    if (range.empty()) {
      return;
    }
    const int64_t first = range.begin / kWordBits;
    const int64_t last = (range.end - 1) / kWordBits;
    const uint64_t from_begin = kAll << (range.begin % kWordBits);
    const uint64_t to_end = kAll >> (kWordBits - 1 - (range.end - 1) % kWordBits);
    if (first == last) {
      use(words_[first], from_begin & to_end);
      return;
    }
    use(words_[first], from_begin);
    for (int64_t word = first + 1; word < last; ++word) {
      use(words_[word], kAll);
    }
    use(words_[last], to_end);
  }

  // The first bit from `at` on that is set (or not); `end` if there is none.
  [[nodiscard]] int64_t next(int64_t at, int64_t end, bool set) const {
    while (at < end) {
      const int64_t word = at / kWordBits;
      const uint64_t bits = (set ? words_[word] : ~words_[word]) >> (at % kWordBits);
      if (bits != 0) {
        return std::min(end, at + std::countr_zero(bits));
      }
      at = (word + 1) * kWordBits;
    }
    return end;
  }

  uint64_t* words_;
};

}  // namespace longshore
