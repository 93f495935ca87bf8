// independent/list.h - a transfer as a list of pieces.
#pragma once
#include <cstdint>

#include "core/extent.h"
#include "core/result.h"
#include "datatype/pattern.h"
#include "independent/access.h"
#include "storage/storage.h"

namespace longshore {

enum class ListCalls {
  kManyPieces,  // as many pieces as fit go to storage in one call
  kOnePiece,    // every call moves one piece
};

// Moves all of `access`, whose file side is `file` (absolute offsets, in stream order), with at
// most `buffer_bytes` of scratch. Stops at the first failure or at end of file; the count is a
// prefix.
Outcome transfer_list(Storage& storage, const Access& access, const Pattern& file,
                      int64_t buffer_bytes, ListCalls calls = ListCalls::kManyPieces);

}  // namespace longshore
