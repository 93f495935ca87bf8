// collective/share.h - what ranks tell each other of their part in a collective call.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/error.h"
#include "core/extent.h"
#include "core/result.h"
#include "independent/access.h"

namespace longshore {

// How a rank's bytes get between its memory and the file.
enum class Standing : int32_t {
  kExchanges,      // through aggregators, if the call has them
  kNeedsNoHelp,    // straight, whatever the others do
  kCannotBeServed  // it reads through an overlapping view: all ranks must do without aggregators
};

// What the other ranks must know of an Access: a few words, whatever the number of pieces.
struct Share {
  int64_t first = 0;
  int64_t last = 0;
  Extent hull;                         // of the bytes in the file
  uint64_t view = 0;                   // fingerprint
  int64_t view_bytes = 0;              // of its serialized form
  ErrorClass error = ErrorClass::kOk;  // of what the rank has done so far
  bool buffers = false;                // has bytes that must be on storage first
  bool done = false;                   // has moved its bytes already
  Standing standing = Standing::kExchanges;

  [[nodiscard]] bool exchanges() const { return standing == Standing::kExchanges && first < last; }
  [[nodiscard]] bool unfinished() const { return first < last && !done; }
};
static_assert(std::is_trivially_copyable_v<Share>);

// The rank's own share; an error makes it empty, so that the rank takes part and harms no one.
// `direct`: the rank's pieces need no help.
[[nodiscard]] Share share_of(const Access& access, const Status& ready, bool direct);

}  // namespace longshore
