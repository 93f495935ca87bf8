// The builders: each brings its shape to the one normal form that equal byte sequences of the same
// construction share, so that later stages meet runs and repeats wherever the program's types
// allow. Costs O(children); strides are never enumerated.
#include "datatype/pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "datatype/pattern_build.h"

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;

// A sequence no longer than this is dissolved into the sequence around it.
constexpr int64_t kFlattenLimit = 16;

struct Placed {
  int64_t offset;
  NodeRef node;
};

bool same_node(const NodeRef& a, const NodeRef& b) { return a == b || same_tree(*a, *b); }

bool is_progression(const std::vector<int64_t>& offsets) {
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) {
      return false;
    }
  }
  return true;
}

// Moves the list so that it starts at 0; returns where it started.
int64_t rebase(std::vector<int64_t>& offsets) {
  const int64_t first = offsets.front();
  for (int64_t& offset : offsets) {
    offset = add_bytes(offset, -first);
  }
  return first;
}

// `node` seen as count copies of `unit` at some stride; a stride of 0 with count 1 is any stride.
struct Copies {
  int64_t count;
  int64_t stride;
};
std::optional<Copies> as_copies_of(const NodeRef& unit, const NodeRef& node) {
  if (same_node(unit, node)) {
    return Copies{1, 0};
  }
  if (node->kind == Kind::kRepeat && same_node(unit, node->child)) {
    return Copies{node->count, node->stride};
  }
  return std::nullopt;
}

// a and b as one repeat with the stride and child of `model`, if b carries on where a stops.
std::optional<Placed> join_like(const NodeRef& model, const Placed& a, const Placed& b) {
  if (model->kind != Kind::kRepeat) {
    return std::nullopt;
  }
  const NodeRef& unit = model->child;
  const int64_t stride = model->stride;
  const auto left = as_copies_of(unit, a.node);
  const auto right = as_copies_of(unit, b.node);
  if (!left || !right || (left->count > 1 && left->stride != stride) ||
      (right->count > 1 && right->stride != stride) ||
      b.offset - a.offset != multiply_bytes(left->count, stride)) {
    return std::nullopt;
  }
  const Pattern joined =
      Pattern::repeat(left->count + right->count, stride, Pattern(unit, a.offset));
  return Placed{joined.shift(), joined.root_node()};
}

// Two lone copies stay apart: which of their neighbours they belong to is not known yet.
std::optional<Placed> join(const Placed& a, const Placed& b) {
  if (a.node->is_run() && b.node->is_run()) {
    if (a.offset + a.node->size != b.offset) {
      return std::nullopt;
    }
    return Placed{a.offset, make_run(add_bytes(a.node->size, b.node->size))};
  }
  auto joined = join_like(a.node, a, b);
  return joined ? joined : join_like(b.node, a, b);
}

// Appends, joining with the end of the list as long as that works.
void append(std::vector<Placed>& list, Placed item) {
  while (!list.empty()) {
    auto joined = join(list.back(), item);
    if (!joined) {
      break;
    }
    list.pop_back();
    item = std::move(*joined);
  }
  list.push_back(std::move(item));
}

std::vector<Placed> flatten(const std::vector<int64_t>& offsets,
                            const std::vector<Pattern>& children) {
  std::vector<Placed> list;
  list.reserve(children.size());
  for (size_t i = 0; i < children.size(); ++i) {
    const NodeRef& node = children[i].root_node();
    if (!node) {
      continue;
    }
    const int64_t at = add_bytes(offsets[i], children[i].shift());
    if (node->kind != Kind::kSequence || node->count > kFlattenLimit) {
      append(list, {at, node});
      continue;
    }
    for (size_t j = 0; j < node->children.size(); ++j) {
      append(list, {add_bytes(at, node->offsets[j]), node->children[j]});
    }
  }
  return list;
}

bool listable(const Placed& item) {
  return item.node->is_run() ||
         (item.node->kind == Kind::kPieces && item.node->count <= kFlattenLimit);
}

// REQUIRES: every item is listable.
std::vector<Piece> pieces_of(const std::vector<Placed>& list) {
  std::vector<Piece> pieces;
  pieces.reserve(list.size());
  for (const auto& [offset, node] : list) {
    if (node->is_run()) {
      pieces.push_back({offset, node->size});
      continue;
    }
    for (size_t i = 0; i < node->offsets.size(); ++i) {
      pieces.push_back(
          {add_bytes(offset, node->offsets[i]), node->starts[i + 1] - node->starts[i]});
    }
  }
  return pieces;
}

std::vector<Piece> joined_pieces(std::span<const Piece> pieces) {
  std::vector<Piece> joined;
  joined.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    if (piece.length <= 0) {
      continue;
    }
    if (!joined.empty() && add_bytes(joined.back().offset, joined.back().length) == piece.offset) {
      joined.back().length = add_bytes(joined.back().length, piece.length);
    } else {
      joined.push_back(piece);
    }
  }
  return joined;
}

// REQUIRES: offsets not empty; runs among the children do not adjoin.
Pattern place(std::vector<int64_t> offsets, const NodeRef& child) {
  const int64_t first = rebase(offsets);
  if (offsets.size() == 1) {
    return {child, first};
  }
  if (is_progression(offsets)) {
    const auto count = static_cast<int64_t>(offsets.size());
    return Pattern::repeat(count, offsets[1], Pattern(child, first));
  }
  return {make_offsets(std::move(offsets), child), first};
}

bool has_adjoining(const std::vector<int64_t>& offsets, int64_t length) {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] == length) {
      return true;
    }
  }
  return false;
}

}  // namespace

Pattern::Pattern() = default;
Pattern::Pattern(std::shared_ptr<const Node> root, int64_t shift)
    : root_(std::move(root)), shift_(root_ ? shift : 0) {}

Pattern Pattern::run(int64_t length) {
  return length > 0 ? Pattern(make_run(std::min(length, kMaxBytes)), 0) : Pattern();
}

Pattern Pattern::repeat(int64_t count, int64_t stride, const Pattern& child) {
  if (count <= 0 || !child.root_) {
    return {};
  }
  if (count == 1) {
    return child;
  }
  const NodeRef& node = child.root_;
  if (node->kind == Kind::kRepeat && stride == multiply_bytes(node->count, node->stride)) {
    return {make_repeat(multiply_bytes(count, node->count), node->stride, node->child),
            child.shift_};
  }
  return {make_repeat(count, stride, node), child.shift_};
}

Pattern Pattern::at_offsets(std::vector<int64_t> offsets, const Pattern& child) {
  if (offsets.empty() || !child.root_) {
    return {};
  }
  const NodeRef& node = child.root_;
  if (!node->is_run() || !has_adjoining(offsets, node->size)) {
    return place(std::move(offsets), node).shifted(child.shift_);
  }
  std::vector<Piece> pieces;
  pieces.reserve(offsets.size());
  for (const int64_t offset : offsets) {
    pieces.push_back({add_bytes(offset, child.shift_), node->size});
  }
  return of_pieces(pieces);
}

Pattern Pattern::sequence(const std::vector<int64_t>& offsets,
                          const std::vector<Pattern>& children) {
  const std::vector<Placed> list = flatten(offsets, children);
  if (list.empty()) {
    return {};
  }
  if (std::all_of(list.begin(), list.end(), listable)) {
    return of_pieces(pieces_of(list));
  }
  const auto is_same = [&](const Placed& item) { return same_node(item.node, list[0].node); };
  const bool all_same = std::all_of(list.begin() + 1, list.end(), is_same);
  std::vector<int64_t> places;
  std::vector<NodeRef> nodes;
  places.reserve(list.size());
  for (const Placed& item : list) {
    places.push_back(item.offset);
    if (!all_same) {
      nodes.push_back(item.node);
    }
  }
  if (all_same) {
    return place(std::move(places), list[0].node);
  }
  const int64_t first = rebase(places);
  return {make_sequence(std::move(places), std::move(nodes)), first};
}

Pattern Pattern::of_pieces(std::span<const Piece> pieces) {
  const std::vector<Piece> list = joined_pieces(pieces);
  if (list.empty()) {
    return {};
  }
  const auto as_long = [&](const Piece& piece) { return piece.length == list[0].length; };
  const bool all_same = std::all_of(list.begin(), list.end(), as_long);
  std::vector<int64_t> offsets;
  offsets.reserve(list.size());
  std::vector<int64_t> starts{0};
  starts.reserve(all_same ? 1 : list.size() + 1);
  for (const Piece& piece : list) {
    offsets.push_back(piece.offset);
    if (!all_same) {
      starts.push_back(add_bytes(starts.back(), piece.length));
    }
  }
  if (all_same) {
    return place(std::move(offsets), make_run(list[0].length));
  }
  const int64_t first = rebase(offsets);
  return {make_pieces(std::move(offsets), std::move(starts)), first};
}

Pattern Pattern::shifted(int64_t by) const { return {root_, root_ ? add_bytes(shift_, by) : 0}; }

int64_t Pattern::size() const { return root_ ? root_->size : 0; }
int64_t Pattern::pieces() const { return root_ ? root_->pieces : 0; }
bool Pattern::contiguous() const { return !root_ || root_->is_run(); }
bool Pattern::monotone() const { return !root_ || root_->monotone; }
bool Pattern::ordered() const { return !root_ || root_->ordered; }

Extent Pattern::bounds() const {
  if (!root_) {
    return {};
  }
  return {add_bytes(root_->bounds.begin, shift_), add_bytes(root_->bounds.end, shift_)};
}

uint64_t Pattern::fingerprint() const {
  return root_ ? mix(root_->fingerprint, static_cast<uint64_t>(shift_)) : 0;
}

}  // namespace longshore
