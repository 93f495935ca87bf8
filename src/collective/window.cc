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

void Window::choose_landings(int own_rank, bool in_rank_order) {
  const auto apart = in_rank_order ? std::vector<bool>(parts_.size(), false) : parts_apart();
  int64_t beside = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.rank != own_rank && !(apart[i] && part.contiguous())) {
      beside += part.positions.length();
    }
  }
  auto space = workspace_.incoming.take(beside);
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const auto length = static_cast<size_t>(part.positions.length());
    if (apart[i] && part.contiguous()) {
      part.packed = {at(part.hull.begin), length};
    } else if (part.rank != own_rank) {
      part.packed = space.first(length);
      space = space.subspan(length);
    }
  }
}

void Window::scatter(const Part& part) {
  if (!part.contiguous()) {
    part.pattern.unpack(0, part.packed, memory_.data());
  } else if (part.packed.data() != at(part.hull.begin)) {
    std::memcpy(at(part.hull.begin), part.packed.data(), part.packed.size());
  }
}

void Window::gather(const Part& part, int64_t bytes) {
  const auto wanted = part.packed.first(static_cast<size_t>(bytes));
  if (!part.contiguous()) {
    part.pattern.pack(0, wanted, memory_.data());
  } else if (!wanted.empty() && wanted.data() != at(part.hull.begin)) {
    std::memcpy(wanted.data(), at(part.hull.begin), wanted.size());
  }
}

std::vector<Extent> Window::runs() {
  if (parts_.size() == 1 && parts_[0].contiguous()) {
    return {parts_[0].hull};
  }
  Coverage& coverage = workspace_.coverage;
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

std::vector<IoPiece> Window::pieces(std::span<const Extent> runs) {
  std::vector<IoPiece> result;
  result.reserve(runs.size());
  for (const auto& run : runs) {
    result.push_back({run.begin, at(run.begin), run.length()});
  }
  return result;
}

std::vector<IoPiece> Window::covered() { return pieces(runs()); }

std::vector<IoPiece> Window::wanted() {
  Extent whole;
  int64_t bytes = 0;
  for (const auto& part : parts_) {
    whole = hull(whole, part.hull);
    bytes += part.positions.length();
  }
  if (bytes * kSparseness >= whole.length()) {
    return pieces(std::vector<Extent>{whole});
  }
  std::vector<Extent> joined;
  for (const auto& run : runs()) {
    if (!joined.empty() && run.begin - joined.back().end < kJoinedGapBytes) {
      joined.back().end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  return pieces(joined);
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
