// A walk keeps one frame per level of the tree, on a stack allocated once. A frame names the next
// child to visit; children that are runs are yielded without a frame of their own.
#include <algorithm>
#include <cassert>
#include <utility>

#include "datatype/pattern_node.h"

namespace longshore {

struct PatternWalk::State {
  using Node = Pattern::Node;
  using Kind = Node::Kind;

  struct Frame {
    const Node* node;
    int64_t index;  // the next child
    int64_t base;   // the node's offset
  };

  Node::Ref root;             // keeps the frames' nodes alive
  std::vector<Frame> stack;   // of root->depth frames at most
  int64_t raw_remaining = 0;  // bytes that advance() has still to yield
  int64_t position = 0;
  Piece pending;  // found but not yet yielded; length 0 at the end
  // The rest of a repeat of runs that advance() has entered: its frame is left behind as done.
  int64_t leaf_left = 0;
  int64_t leaf_stride = 0;
  Piece leaf;

  void seek(const Pattern& pattern, int64_t first, int64_t last);
  bool advance(Piece& piece);
  Piece run_child(Frame& frame);
  Piece leaf_piece();
};

// Goes down to the run that holds `first` and leaves the rest of that run in `pending`.
void PatternWalk::State::seek(const Pattern& pattern, int64_t first, int64_t last) {
  position = first;
  if (first >= last || pattern.root() == nullptr) {
    return;
  }
  assert(first >= 0 && last <= pattern.size());
  root = pattern.root_node();
  stack.reserve(static_cast<size_t>(root->depth));
  int64_t base = pattern.shift();
  int64_t within = first;
  const Node* node = root.get();
  while (node != nullptr && (!node->is_run() || stack.empty())) {
    const int64_t i = node->child_holding(within);
    stack.push_back({node, i, base});
    within -= node->child_start(i);
    base += node->child_offset(i);
    const Node* child = node->child_node(i);
    stack.back().index += child == nullptr || child->is_run() ? 0 : 1;
    node = child;
  }
  raw_remaining = last - first + within;
  advance(pending);
  pending.offset += within;
  pending.length -= within;
}

// The next run of the leaf. REQUIRES: leaf_left > 0.
inline Piece PatternWalk::State::leaf_piece() {
  const Piece piece = leaf;
  leaf.offset += leaf_stride;
  --leaf_left;
  return piece;
}

// Yields the run at the frame's index. REQUIRES: that child is a run.
Piece PatternWalk::State::run_child(Frame& frame) {
  const Node& node = *frame.node;
  const auto i = static_cast<size_t>(frame.index++);
  switch (node.kind) {
    case Kind::kRun: return {frame.base, node.size};
    case Kind::kRepeat:
      leaf = {frame.base + static_cast<int64_t>(i) * node.stride, node.child->size};
      leaf_stride = node.stride;
      leaf_left = node.count - static_cast<int64_t>(i);
      frame.index = node.count;
      return leaf_piece();
    case Kind::kOffsets: return {frame.base + node.offsets[i], node.child->size};
    default: return {frame.base + node.offsets[i], node.starts[i + 1] - node.starts[i]};
  }
}

bool PatternWalk::State::advance(Piece& piece) {
  if (raw_remaining <= 0) {
    return false;
  }
  if (leaf_left > 0) {
    piece = leaf_piece();
    piece.length = std::min(piece.length, raw_remaining);
    raw_remaining -= piece.length;
    return true;
  }
  while (stack.back().index == stack.back().node->count) {
    stack.pop_back();
  }
  for (;;) {
    Frame& frame = stack.back();
    const Node* child = frame.node->child_node(frame.index);
    if (child == nullptr || child->is_run()) {
      break;
    }
    const int64_t base = frame.base + frame.node->child_offset(frame.index);
    ++frame.index;
    stack.push_back({child, 0, base});
  }
  piece = run_child(stack.back());
  piece.length = std::min(piece.length, raw_remaining);
  raw_remaining -= piece.length;
  return true;
}

PatternWalk::PatternWalk(const Pattern& pattern, int64_t first, int64_t last)
    : state_(std::make_unique<State>()) {
  state_->seek(pattern, first, last);
}
PatternWalk::~PatternWalk() = default;
PatternWalk::PatternWalk(PatternWalk&&) noexcept = default;
PatternWalk& PatternWalk::operator=(PatternWalk&&) noexcept = default;

// One piece is always read ahead, to join it with the one before if they adjoin. Runs of one leaf
// never do (they would be a single run), so they pass straight through.
bool PatternWalk::next(Piece& piece) {
  State& state = *state_;
  if (state.pending.length == 0) {
    return false;
  }
  piece = state.pending;
  if (state.leaf_left > 0 && state.raw_remaining >= state.leaf.length) {
    state.pending = state.leaf_piece();
    state.raw_remaining -= state.pending.length;
    state.position += piece.length;
    return true;
  }
  for (;;) {
    if (!state.advance(state.pending)) {
      state.pending = {};
      break;
    }
    if (state.pending.offset != piece.offset + piece.length) {
      break;
    }
    piece.length += state.pending.length;
  }
  state.position += piece.length;
  return true;
}

int64_t PatternWalk::position() const { return state_->position; }

}  // namespace longshore
