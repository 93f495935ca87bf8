// collective/window.h - one aggregator's buffer in one cycle, and what lies in it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "collective/coverage.h"
#include "core/extent.h"
#include "core/raw_buffer.h"
#include "core/result.h"
#include "datatype/pattern.h"
#include "storage/storage.h"

namespace longshore {

// Memory that lives as long as the file, so that its pages are touched once.
struct Workspace {
  RawBuffer window;
  RawBuffer incoming;
  RawBuffer outgoing;
  RawBuffer self;
  Coverage coverage;
};

// One rank's bytes in the window: stream positions, and where they lie.
struct Part {
  int rank = 0;
  Extent positions;
  Extent hull;                  // in the file
  Pattern pattern;              // relative to the window's begin
  std::span<std::byte> packed;  // the message: in the window itself or beside it

  [[nodiscard]] bool contiguous() const { return hull.length() == positions.length(); }
};

class Window {
 public:
  // `memory` holds the extent's bytes.
  Window(Extent extent, std::span<std::byte> memory, Workspace& workspace)
      : extent_(extent), memory_(memory), workspace_(workspace) {}

  // Ranks in rising order. REQUIRES: the positions' bytes lie in the window.
  void add(int rank, const TiledPattern& view, Extent positions);
  [[nodiscard]] std::span<Part> parts() { return parts_; }
  [[nodiscard]] std::byte* base() { return memory_.data(); }
  // REQUIRES: the part is contiguous.
  [[nodiscard]] std::span<std::byte> bytes_of(const Part& part) {
    return {at(part.hull.begin), static_cast<size_t>(part.hull.length())};
  }

  // Gives each part but `own_rank`'s a place for its message. It is in the window where the part is
  // contiguous and no other part comes near (never if in_rank_order), otherwise beside it.
  void choose_landings(int own_rank, bool in_rank_order);

  // Moves a received message to its bytes, or gathers a part's first `bytes` for sending; nothing
  // to do if its place is in the window.
  void scatter(const Part& part);
  void gather(const Part& part, int64_t bytes);

  // The runs that parts cover: what a write may touch.
  [[nodiscard]] std::vector<IoPiece> covered();
  // What a read must bring: the hull of all parts if they fill it well, otherwise their runs,
  // joined over small gaps.
  [[nodiscard]] std::vector<IoPiece> wanted();

 private:
  [[nodiscard]] std::vector<Extent> runs();
  [[nodiscard]] std::vector<IoPiece> pieces(std::span<const Extent> runs);
  [[nodiscard]] std::byte* at(int64_t offset) { return memory_.data() + (offset - extent_.begin); }
  [[nodiscard]] std::vector<bool> parts_apart() const;

  Extent extent_;
  std::span<std::byte> memory_;
  Workspace& workspace_;
  std::vector<Part> parts_;
};

// The file offset up to which the pieces' bytes are valid after `bytes` of them were moved;
// `whole_end` if all were.
[[nodiscard]] int64_t valid_end(std::span<const IoPiece> pieces, int64_t bytes, int64_t whole_end);

}  // namespace longshore
