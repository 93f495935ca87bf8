// Questions to a Pattern: where a stream position lies, which position an offset has, equality,
// and slices. Each goes down the tree once and never over the copies of a repeat.
#include <algorithm>
#include <cassert>
#include <utility>

#include "datatype/pattern_build.h"

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;

// The last child that begins at or before `offset`. REQUIRES: node monotone, offset >= 0.
int64_t child_reaching(const Node& node, int64_t offset) {
  if (node.kind == Kind::kRepeat) {
    return std::min(offset / node.stride, node.count - 1);
  }
  const auto next = std::upper_bound(node.offsets.begin(), node.offsets.end(), offset);
  return next - node.offsets.begin() - 1;
}

bool same_children(const Node& a, const Node& b) {
  if (a.child && a.child != b.child && !same_tree(*a.child, *b.child)) {
    return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (a.children[i] != b.children[i] && !same_tree(*a.children[i], *b.children[i])) {
      return false;
    }
  }
  return true;
}

Pattern slice_node(const NodeRef& node, int64_t first, int64_t last);

// Child i as a pattern in its parent's frame, cut to the parent's stream positions [first, last).
Pattern slice_child(const Node& node, int64_t i, int64_t first, int64_t last) {
  const int64_t start = node.child_start(i);
  const int64_t at = node.child_offset(i);
  if (node.kind == Kind::kPieces) {
    const int64_t end = std::min(last, node.child_start(i + 1));
    first = std::max(first, start);
    return Pattern::run(end - first).shifted(at + first - start);
  }
  const NodeRef& child =
      node.kind == Kind::kSequence ? node.children[static_cast<size_t>(i)] : node.child;
  const int64_t from = std::max(first - start, int64_t{0});
  const int64_t to = std::min(last - start, child->size);
  return slice_node(child, from, to).shifted(at);
}

// Children [from, to), all of them whole.
Pattern whole_children(const Node& node, int64_t from, int64_t to) {
  if (node.kind == Kind::kRepeat) {
    return Pattern::repeat(to - from, node.stride, Pattern(node.child, from * node.stride));
  }
  const auto begin = node.offsets.begin() + from;
  const auto end = node.offsets.begin() + to;
  if (node.kind == Kind::kOffsets) {
    return Pattern::at_offsets({begin, end}, Pattern(node.child, 0));
  }
  if (node.kind == Kind::kPieces) {
    std::vector<Piece> pieces;
    pieces.reserve(static_cast<size_t>(to - from));
    for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
      pieces.push_back({node.offsets[i], node.starts[i + 1] - node.starts[i]});
    }
    return Pattern::of_pieces(pieces);
  }
  std::vector<Pattern> children;
  children.reserve(static_cast<size_t>(to - from));
  for (int64_t i = from; i < to; ++i) {
    children.emplace_back(node.children[static_cast<size_t>(i)], 0);
  }
  return Pattern::sequence({begin, end}, children);
}

// A cut child at either end and the whole ones between.
Pattern slice_node(const NodeRef& node, int64_t first, int64_t last) {
  if (first >= last) {
    return {};
  }
  if (first == 0 && last == node->size) {
    return {node, 0};
  }
  if (node->is_run()) {
    return Pattern::run(last - first).shifted(first);
  }
  int64_t from = node->child_holding(first);
  const int64_t final = node->child_holding(last - 1);
  if (from == final) {
    return slice_child(*node, from, first, last);
  }
  Pattern head;
  Pattern tail;
  int64_t to = final + 1;
  if (first != node->child_start(from)) {
    head = slice_child(*node, from++, first, last);
  }
  if (last != node->child_start(to)) {
    tail = slice_child(*node, --to, first, last);
  }
  const Pattern body = from < to ? whole_children(*node, from, to) : Pattern();
  return Pattern::sequence({0, 0, 0}, {head, body, tail});
}

}  // namespace

int64_t Pattern::Node::child_holding(int64_t position) const {
  switch (kind) {
    case Kind::kRun: return 0;
    case Kind::kRepeat:
    case Kind::kOffsets: return position / child->size;
    default: return std::upper_bound(starts.begin(), starts.end(), position) - starts.begin() - 1;
  }
}

bool same_tree(const Node& a, const Node& b) {
  if (&a == &b) {
    return true;
  }
  return a.fingerprint == b.fingerprint && a.kind == b.kind && a.size == b.size &&
         a.count == b.count && a.stride == b.stride && a.offsets == b.offsets &&
         a.starts == b.starts && a.children.size() == b.children.size() && same_children(a, b);
}

bool operator==(const Pattern& a, const Pattern& b) {
  if (!a.root_ || !b.root_) {
    return a.root_ == b.root_;
  }
  return a.shift_ == b.shift_ && same_tree(*a.root_, *b.root_);
}

int64_t Pattern::offset_at(int64_t position) const {
  assert(position >= 0 && position < size());
  int64_t offset = shift_;
  const Node* node = root_.get();
  while (node != nullptr && !node->is_run()) {
    const int64_t i = node->child_holding(position);
    offset += node->child_offset(i);
    position -= node->child_start(i);
    node = node->child_node(i);
  }
  return offset + position;
}

int64_t Pattern::position_of(int64_t offset) const {
  assert(monotone());
  const Node* node = root_.get();
  int64_t position = 0;
  int64_t at = add_bytes(offset, -shift_);
  int64_t limit = size();
  while (at > 0 && node != nullptr && at < node->bounds.end && !node->is_run()) {
    const int64_t i = child_reaching(*node, at);
    const int64_t start = node->child_start(i);
    position += start;
    at -= node->child_offset(i);
    limit =
        node->kind == Kind::kPieces ? node->child_start(i + 1) - start : node->child_node(i)->size;
    node = node->child_node(i);
  }
  // Here `at` falls into a gap before or behind the node, or into a run.
  return at <= 0 ? position : position + std::min(at, limit);
}

Pattern Pattern::slice(int64_t first, int64_t last) const {
  assert(first >= 0 && last <= size());
  return root_ ? slice_node(root_, first, last).shifted(shift_) : Pattern();
}

}  // namespace longshore
