#include "collective/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace longshore {

namespace {

// Reading a gap of this size costs less than another call.
constexpr int64_t kJoinedGapBytes = 16 * 1024;
// A hull is read whole if at least one byte in so many is wanted.
constexpr int64_t kSparseness = 4;

}  // namespace

void Window::add(int rank, const TiledPattern& view, Extent positions) {
  Part part;
  part.rank = rank;
  part.positions = positions;
  part.hull = view.hull_of(positions.begin, positions.end);
  if (!part.contiguous()) {
    part.pattern = view.slice(positions.begin, positions.end).shifted(-extent_.begin);
  }
  parts_.push_back(std::move(part));
}

// Which parts have their hull for themselves.
std::vector<bool> Window::parts_apart() const {
  std::vector<size_t> order(parts_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return parts_[a].hull.begin < parts_[b].hull.begin; });
  std::vector<bool> apart(parts_.size(), false);
  int64_t reached = extent_.begin;
  for (size_t i = 0; i < order.size(); ++i) {
    const Extent hull = parts_[order[i]].hull;
    const bool before = hull.begin >= reached;
    const bool after = i + 1 == order.size() || parts_[order[i + 1]].hull.begin >= hull.end;
    apart[order[i]] = before && after;
    reached = std::max(reached, hull.end);
  }
  return apart;
}

bool Window::in_window(const Part& part) const {
  return part.contiguous() && part.packed.data() == at(part.hull.begin);
}

bool Window::scatter(const Part& part) const {
  if (in_window(part)) {
    return false;
  }
  if (part.contiguous()) {
    std::memcpy(at(part.hull.begin), part.packed.data(), part.packed.size());
  } else {
    part.pattern.unpack(0, part.packed, base_);
  }
  return true;
}

bool Window::gather(const Part& part, int64_t bytes) const {
  if (in_window(part) || bytes == 0) {
    return false;
  }
  const auto wanted = part.packed.first(static_cast<size_t>(bytes));
  if (part.contiguous()) {
    std::memcpy(wanted.data(), at(part.hull.begin), wanted.size());
  } else {
    part.pattern.pack(0, wanted, base_);
  }
  return true;
}

std::vector<Extent> Window::runs(Coverage& coverage) const {
  if (parts_.size() == 1 && parts_[0].contiguous()) {
    return {parts_[0].hull};
  }
  coverage.reset(extent_);
  for (const auto& part : parts_) {
    if (part.contiguous()) {
      coverage.mark(part.hull);
      continue;
    }
    Piece piece;
    for (PatternWalk walk(part.pattern, 0, part.pattern.size()); walk.next(piece);) {
      const int64_t begin = extent_.begin + piece.offset;
      coverage.mark({begin, begin + piece.length});
    }
  }
  return coverage.runs();
}

void Window::add_covered(Coverage& coverage, std::vector<IoPiece>& pieces) const {
  for (const auto& run : runs(coverage)) {
    pieces.push_back(piece(run));
  }
}

void Window::add_wanted(Coverage& coverage, std::vector<IoPiece>& pieces) const {
  Extent whole;
  int64_t bytes = 0;
  for (const auto& part : parts_) {
    whole = hull(whole, part.hull);
    bytes += part.positions.length();
  }
  if (bytes * kSparseness >= whole.length()) {
    pieces.push_back(piece(whole));
    return;
  }
  std::vector<Extent> joined;
  for (const auto& run : runs(coverage)) {
    if (!joined.empty() && run.begin - joined.back().end < kJoinedGapBytes) {
      joined.back().end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  for (const auto& run : joined) {
    pieces.push_back(piece(run));
  }
}

int64_t valid_end(std::span<const IoPiece> pieces, int64_t bytes, int64_t whole_end) {
  for (const auto& piece : pieces) {
    if (bytes < piece.length) {
      return piece.offset + bytes;
    }
    bytes -= piece.length;
  }
  return whole_end;
}

}  // namespace longshore
