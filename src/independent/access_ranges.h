// independent/access_ranges.h - which bytes of each file system block an access needs.
//
// The whole series of pieces of one call is known before its first byte is read. Per block it comes
// down to one range: from the first byte to the last that the call touches in it, as in section 2.3
// of Prost et al., "Towards a High-Performance Implementation of MPI-IO on Top of GPFS" (2000).
//
// Worked example: blocks of 100 bytes, pieces [10,20) [40,50) [95,130) [330,340):
//   block 0: [10,100)   block 1: [100,130)   block 2: nothing   block 3: [330,340)
// Pure arithmetic: no file access.
#pragma once
#include <cstdint>

#include "core/extent.h"
#include "datatype/pattern.h"

namespace longshore {

struct AccessRange {
  Extent bytes;      // of the file: the hull of what is touched in one block
  Extent positions;  // of the stream: what is touched
  friend bool operator==(const AccessRange&, const AccessRange&) = default;
};

// Yields the ranges in file order; together their positions are the whole stream. A step costs a
// search in the pattern, whatever the number of pieces in the block.
class AccessRanges {
 public:
  // `file` must stay valid. REQUIRES: file.monotone(), no offset below 0, block_bytes > 0.
  AccessRanges(const Pattern& file, int64_t block_bytes) : file_(file), block_bytes_(block_bytes) {}

  // False at the end.
  [[nodiscard]] bool next(AccessRange& range);

 private:
  const Pattern& file_;
  int64_t block_bytes_;
  int64_t position_ = 0;
};

}  // namespace longshore
