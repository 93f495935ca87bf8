// independent/sieve.h - a transfer through windows that hold the gaps as well.
#pragma once
#include <cstdint>
#include <mutex>

#include "core/result.h"
#include "datatype/pattern.h"
#include "independent/access.h"
#include "storage/storage.h"

namespace longshore {

// Both work through the hull of `file` in windows of buffer_bytes; the count is a prefix of the
// stream.  REQUIRES: file.monotone().
Outcome sieve_read(Storage& storage, const Access& access, const Pattern& file,
                   int64_t buffer_bytes);

// Read, modify, write under an exclusive lock of the bytes written back, window by window; `locks`
// is null if the caller holds one.
Outcome sieve_write(Storage& storage, const Access& access, const Pattern& file,
                    int64_t buffer_bytes, std::mutex* locks);

}  // namespace longshore
