// datatype/pattern_bytes.h - the byte image of patterns. For the files of this folder only.
//
// Numbers are base-128, low digits first, the top bit says that more follow; signed ones are
// zigzagged first (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). So the image is the same on every
// machine and small numbers take one byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore {

class ByteWriter {
 public:
  void number(uint64_t value);
  void signed_number(int64_t value);
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads past the end or of a malformed number give 0 and make ok() false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  uint64_t number();
  int64_t signed_number();
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }
  // Every number takes a byte at least, so no honest count exceeds this.
  [[nodiscard]] uint64_t remaining() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

void write_pattern(ByteWriter& writer, const Pattern& pattern);
// Fails with kInvalidArgument; leaves the reader behind the pattern.
[[nodiscard]] Result<Pattern> read_pattern(ByteReader& reader);

}  // namespace longshore
