// pieces.h - non-contiguous places in a file: an operation of `bytes` in pieces, as a view and as a
// list of segments, which are computed apart so that one can be judged by the other.
// REQUIRES everywhere: bytes is a multiple of kPieces.
#pragma once
#include "check/rule.h"

namespace longshore::check {

constexpr int kPieces = 64;            // of a strided operation
constexpr int64_t kSparseFactor = 64;  // a sparse operation touches one byte in so many

enum class Layout {
  kInterleaved,  // pieces of bytes/64 in turn over the ranks, without gaps
  kSparse,       // in a range of the rank's own, a piece of bytes/64 in every bytes
  kElsewhere,    // Gropp 2008, figure 3(b): the range is cut evenly, and all but a small piece of
                 // each rank's bytes is in the next rank's part
  kSeparate,     // one range per rank: nothing to merge
};

[[nodiscard]] std::vector<Segment> layout_segments(Layout layout, const Place& place);

// Collective. Sets the view in which operation i of the rank is at offset i * bytes.
[[nodiscard]] int set_layout_view(Layout layout, const Trial& trial);

}  // namespace longshore::check
