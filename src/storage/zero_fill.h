// storage/zero_fill.h - making a file longer where the medium cannot reserve space.
#pragma once
#include <cstdint>

#include "core/result.h"
#include "storage/storage.h"

namespace longshore {

// Writes zeros from the present end of the file to size_bytes; nothing if it is that long already.
// After a failure the file may be longer than before.
[[nodiscard]] Status append_zeros(Storage& storage, int64_t size_bytes);

}  // namespace longshore
