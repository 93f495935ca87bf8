// independent/access.h - one rank's part in a transfer.
#pragma once
#include <cstddef>
#include <cstdint>

#include "datatype/pattern.h"
#include "storage/storage.h"

namespace longshore {

// Stream positions [first, last) of `view` against the whole stream of `memory`, whose offset 0 is
// `base`.  INVARIANT: memory.size() == last - first.
struct Access {
  IoKind kind = IoKind::kRead;
  TiledPattern view;
  int64_t first = 0;
  int64_t last = 0;
  Pattern memory;
  std::byte* base = nullptr;

  [[nodiscard]] int64_t bytes() const { return last - first; }
};

}  // namespace longshore
