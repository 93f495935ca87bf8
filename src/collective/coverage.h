// collective/coverage.h - which bytes of a window were written by some rank.
//
// A bit per byte: marking costs a few nanoseconds a piece in any order and with any overlap, and
// finding the runs reads an eighth of the window. Sorting the pieces of all ranks costs more as
// soon as there are many, and counting bytes cannot tell an overlap and a hole from a full window.
#pragma once
#include <cstdint>
#include <vector>

#include "core/extent.h"

namespace longshore {

class Coverage {
 public:
  // Starts afresh for a window, with nothing marked.
  void reset(Extent window);
  // REQUIRES: inside the window.
  void mark(Extent bytes);
  // The marked bytes as maximal runs, rising.
  [[nodiscard]] std::vector<Extent> runs() const;

 private:
  // First bit >= from that is `wanted`; the window's length if there is none.
  [[nodiscard]] int64_t find(int64_t from, bool wanted) const;
  Extent window_;
  std::vector<uint64_t> bits_;
};

}  // namespace longshore
