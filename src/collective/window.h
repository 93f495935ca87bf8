// collective/window.h - one section of an aggregator's buffer in one cycle, and what lies in it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "collective/coverage.h"
#include "collective/partition.h"
#include "core/extent.h"
#include "core/result.h"
#include "datatype/pattern.h"
#include "storage/storage.h"

namespace longshore {

// One rank's bytes in the window: stream positions, and where they lie.
struct Part {
  int rank = 0;
  Extent positions;
  Extent hull;                  // in the file
  Pattern pattern;              // relative to the window's begin
  std::span<std::byte> packed;  // its message, if it comes or goes as one: see choose_landings()
  bool gathered = false;        // comes or goes with those of its node's other ranks

  [[nodiscard]] bool contiguous() const { return hull.length() == positions.length(); }
};

class Window {
 public:
  // `buffer` is the aggregator's; the section's bytes lie at its offset there.
  Window(const Section& section, std::byte* buffer)
      : extent_(section.extent), base_(buffer + section.buffer_offset) {}

  // Ranks in rising order. REQUIRES: the positions' bytes lie in the window.
  void add(int rank, const TiledPattern& view, Extent positions);
  // A rank that may want any byte of `hull`.
  void add_whole(int rank, Extent hull) { parts_.push_back({rank, hull, hull, {}, {}}); }
  [[nodiscard]] std::span<Part> parts() { return parts_; }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  [[nodiscard]] Extent extent() const { return extent_; }
  // The memory of the window's first byte.
  [[nodiscard]] std::byte* base() const { return base_; }
  // REQUIRES: the part is contiguous.
  [[nodiscard]] std::span<std::byte> bytes_of(const Part& part) const {
    return {at(part.hull.begin), static_cast<size_t>(part.hull.length())};
  }
  // Which parts have their hull for themselves.
  [[nodiscard]] std::vector<bool> parts_apart() const;

  // Moves a received message to its bytes, or gathers a part's first `bytes` for sending. False if
  // there was nothing to do because its place is in the window.
  bool scatter(const Part& part) const;
  bool gather(const Part& part, int64_t bytes) const;

  // Adds the runs that parts cover: what a write may touch.
  void add_covered(Coverage& coverage, std::vector<IoPiece>& pieces) const;
  // Adds what a read must bring: the hull of all parts if they fill it well, otherwise their runs,
  // joined over small gaps.
  void add_wanted(Coverage& coverage, std::vector<IoPiece>& pieces) const;

 private:
  [[nodiscard]] std::vector<Extent> runs(Coverage& coverage) const;
  [[nodiscard]] IoPiece piece(Extent run) const { return {run.begin, at(run.begin), run.length()}; }
  [[nodiscard]] std::byte* at(int64_t offset) const { return base_ + (offset - extent_.begin); }
  [[nodiscard]] bool in_window(const Part& part) const;

  Extent extent_;
  std::byte* base_;
  std::vector<Part> parts_;
};

// The file offset up to which the pieces' bytes are valid after `bytes` of them were moved;
// `whole_end` if all were.
[[nodiscard]] int64_t valid_end(std::span<const IoPiece> pieces, int64_t bytes, int64_t whole_end);

}  // namespace longshore
