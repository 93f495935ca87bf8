#include "storage/zero_fill.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace longshore {

namespace {

constexpr int64_t kZeroChunkBytes = 1 << 20;

}  // namespace

Status append_zeros(Storage& storage, int64_t size_bytes) {
  Result<int64_t> end = storage.size();
  if (!end) {
    return fail(std::move(end.error()));
  }
  if (*end >= size_bytes) {
    return {};
  }
  const std::vector<std::byte> zeros(
      static_cast<size_t>(std::min(kZeroChunkBytes, size_bytes - *end)));
  for (int64_t offset = *end; offset < size_bytes;) {
    const int64_t length = std::min(kZeroChunkBytes, size_bytes - offset);
    Outcome outcome = storage.write_at(offset, std::span(zeros).first(static_cast<size_t>(length)));
    if (!outcome.ok()) {
      return fail(std::move(outcome.error));
    }
    offset += length;
  }
  return {};
}

}  // namespace longshore
