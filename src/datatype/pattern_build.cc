#include "datatype/pattern_build.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;

// What a node learns from its children one by one, in stream order.
class Summary {
 public:
  void add(int64_t offset, const Node& child) {
    const Extent at{add_bytes(offset, child.bounds.begin), add_bytes(offset, child.bounds.end)};
    monotone_ = monotone_ && child.monotone && (first_ || at.begin >= bounds_.end);
    ordered_ = ordered_ && child.ordered && (first_ || offset >= last_offset_);
    bounds_ = hull(bounds_, at);
    last_offset_ = add_bytes(offset, child.last_offset);
    size_ = add_bytes(size_, child.size);
    pieces_ = add_bytes(pieces_, child.pieces);
    depth_ = std::max(depth_, child.depth);
    first_ = false;
  }
  void store(Node& node) const {
    node.monotone = monotone_;
    node.ordered = ordered_;
    node.bounds = bounds_;
    node.last_offset = last_offset_;
    node.size = size_;
    node.pieces = pieces_;
    node.depth = depth_ + 1;
  }

 private:
  bool first_ = true;
  bool monotone_ = true;
  bool ordered_ = true;
  int32_t depth_ = 0;
  int64_t size_ = 0;
  int64_t pieces_ = 0;
  int64_t last_offset_ = 0;
  Extent bounds_;
};

uint64_t hash_of(const Node& node) {
  uint64_t hash = mix(static_cast<uint64_t>(node.kind), static_cast<uint64_t>(node.size));
  hash = mix(mix(hash, static_cast<uint64_t>(node.count)), static_cast<uint64_t>(node.stride));
  if (node.child) {
    hash = mix(hash, node.child->fingerprint);
  }
  for (const int64_t offset : node.offsets) {
    hash = mix(hash, static_cast<uint64_t>(offset));
  }
  for (const int64_t start : node.starts) {
    hash = mix(hash, static_cast<uint64_t>(start));
  }
  for (const NodeRef& child : node.children) {
    hash = mix(hash, child->fingerprint);
  }
  return hash;
}

// Bytes in rising order that fill their hull are one run, whatever they were built from.
NodeRef finish(Node node) {
  if (node.monotone && node.size == node.bounds.length() && !node.is_run()) {
    return make_run(node.size);
  }
  node.fingerprint = hash_of(node);
  return std::make_shared<const Node>(std::move(node));
}

// A run in passing, for Summary.
Node plain_run(int64_t length) {
  Node node;
  node.size = length;
  node.bounds = {0, length};
  return node;
}

}  // namespace

NodeRef make_run(int64_t length) { return finish(plain_run(length)); }

// Copies move by whole strides, so the first and the last one tell the hull, and the step between
// two neighbours tells the order.
NodeRef make_repeat(int64_t count, int64_t stride, NodeRef child) {
  Node node;
  node.kind = Kind::kRepeat;
  node.count = count;
  node.stride = stride;
  const int64_t last = multiply_bytes(count - 1, stride);
  node.size = multiply_bytes(count, child->size);
  node.pieces = multiply_bytes(count, child->pieces);
  node.depth = child->depth + 1;
  node.bounds = {std::min(child->bounds.begin, add_bytes(child->bounds.begin, last)),
                 std::max(child->bounds.end, add_bytes(child->bounds.end, last))};
  node.last_offset = add_bytes(child->last_offset, last);
  node.monotone = child->monotone && stride >= child->bounds.length();
  node.ordered = child->ordered && stride >= child->last_offset;
  node.child = std::move(child);
  return finish(std::move(node));
}

NodeRef make_offsets(std::vector<int64_t> offsets, NodeRef child) {
  Node node;
  node.kind = Kind::kOffsets;
  node.count = static_cast<int64_t>(offsets.size());
  Summary summary;
  for (const int64_t offset : offsets) {
    summary.add(offset, *child);
  }
  summary.store(node);
  node.offsets = std::move(offsets);
  node.child = std::move(child);
  return finish(std::move(node));
}

NodeRef make_pieces(std::vector<int64_t> offsets, std::vector<int64_t> starts) {
  Node node;
  node.kind = Kind::kPieces;
  node.count = static_cast<int64_t>(offsets.size());
  Summary summary;
  Node piece = plain_run(1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    piece.size = starts[i + 1] - starts[i];
    piece.bounds.end = piece.size;
    summary.add(offsets[i], piece);
  }
  summary.store(node);
  node.offsets = std::move(offsets);
  node.starts = std::move(starts);
  return finish(std::move(node));
}

NodeRef make_sequence(std::vector<int64_t> offsets, std::vector<NodeRef> children) {
  Node node;
  node.kind = Kind::kSequence;
  node.count = static_cast<int64_t>(offsets.size());
  node.starts.reserve(children.size() + 1);
  node.starts.push_back(0);
  Summary summary;
  for (size_t i = 0; i < offsets.size(); ++i) {
    summary.add(offsets[i], *children[i]);
    node.starts.push_back(add_bytes(node.starts.back(), children[i]->size));
  }
  summary.store(node);
  node.offsets = std::move(offsets);
  node.children = std::move(children);
  return finish(std::move(node));
}

}  // namespace longshore
