// collective/share.h - what ranks tell each other of their part in a collective call.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/error.h"
#include "core/extent.h"
#include "core/result.h"
#include "independent/access.h"

namespace longshore {

// What the other ranks must know of an Access: a few words, whatever the number of pieces.
struct Share {
  int64_t first = 0;
  int64_t last = 0;
  Extent hull;                         // of the bytes in the file
  uint64_t view = 0;                   // fingerprint
  int64_t view_bytes = 0;              // of its serialized form
  ErrorClass error = ErrorClass::kOk;  // found before the call could start
  int32_t alone = 0;  // 1: reads through an overlapping view, which no aggregator can serve

  [[nodiscard]] bool exchanges() const { return alone == 0 && first < last; }
};
static_assert(std::is_trivially_copyable_v<Share>);

// The rank's own share; an error makes it empty, so that the rank takes part and harms no one.
[[nodiscard]] Share share_of(const Access& access, const Status& ready);

}  // namespace longshore
