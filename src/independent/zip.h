// independent/zip.h - both sides of a transfer, piece by piece.
#pragma once
#include <algorithm>
#include <cstddef>

#include "datatype/pattern.h"
#include "storage/storage.h"

namespace longshore {

// Walks the file and the memory side together; each step is contiguous on both.
class Zip {
 public:
  Zip(const Pattern& file, const Pattern& memory, std::byte* base)
      : file_(file, 0, file.size()), memory_(memory, 0, memory.size()), base_(base) {}

  bool next(IoPiece& piece) {
    if (in_file_.length == 0 && !file_.next(in_file_)) {
      return false;
    }
    if (in_memory_.length == 0 && !memory_.next(in_memory_)) {
      return false;
    }
    const int64_t length = std::min(in_file_.length, in_memory_.length);
    piece = {in_file_.offset, base_ + in_memory_.offset, length};
    advance(in_file_, length);
    advance(in_memory_, length);
    return true;
  }

 private:
  static void advance(Piece& piece, int64_t by) {
    piece.offset += by;
    piece.length -= by;
  }
  PatternWalk file_;
  PatternWalk memory_;
  std::byte* base_;
  Piece in_file_;
  Piece in_memory_;
};

}  // namespace longshore
