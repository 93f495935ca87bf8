#include "collective/coverage.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace longshore {

namespace {
constexpr int64_t kWordBits = 64;
constexpr uint64_t kAllOnes = ~uint64_t{0};

// Bits [from, 64) and [0, to) of a word.
constexpr uint64_t ones_from(int64_t from) { return kAllOnes << from; }
constexpr uint64_t ones_below(int64_t to) { return to == 0 ? 0 : kAllOnes >> (kWordBits - to); }
}  // namespace

void Coverage::reset(Extent window) {
  window_ = window;
  bits_.assign(static_cast<size_t>((window.length() + kWordBits - 1) / kWordBits), 0);
}

void Coverage::mark(Extent bytes) {
  const int64_t begin = bytes.begin - window_.begin;
  const int64_t end = bytes.end - window_.begin;
  if (end <= begin) {
    return;
  }
  const int64_t first = begin / kWordBits;
  const int64_t last = end / kWordBits;
  uint64_t* words = bits_.data();
  if (first == last) {
    words[first] |= ones_from(begin % kWordBits) & ones_below(end % kWordBits);
    return;
  }
  words[first] |= ones_from(begin % kWordBits);
  std::fill(words + first + 1, words + last, kAllOnes);
  if (end % kWordBits != 0) {
    words[last] |= ones_below(end % kWordBits);
  }
}

int64_t Coverage::find(int64_t from, bool wanted) const {
  const int64_t length = window_.length();
  int64_t word = from / kWordBits;
  uint64_t mask = ones_from(from % kWordBits);
  for (; word * kWordBits < length; ++word, mask = kAllOnes) {
    const uint64_t bits = bits_[static_cast<size_t>(word)];
    const uint64_t hits = (wanted ? bits : ~bits) & mask;
    if (hits != 0) {
      return std::min(length, word * kWordBits + std::countr_zero(hits));
    }
  }
  return length;
}

std::vector<Extent> Coverage::runs() const {
  std::vector<Extent> found;
  const int64_t length = window_.length();
  for (int64_t at = find(0, true); at < length;) {
    const int64_t end = find(at, false);
    found.push_back({window_.begin + at, window_.begin + end});
    at = end < length ? find(end, true) : length;
  }
  return found;
}

}  // namespace longshore
