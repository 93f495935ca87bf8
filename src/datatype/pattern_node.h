// datatype/pattern_node.h - the nodes of a Pattern's tree. For the files of this folder only.
//
// Every node is normalised so that its first stream byte has offset 0; what moves it stands in its
// parent (offsets) or in the Pattern (shift). So equal shapes are equal nodes wherever they lie.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "datatype/pattern.h"

namespace longshore {

struct Pattern::Node {
  using Ref = std::shared_ptr<const Node>;
  enum class Kind : uint8_t {
    kRun,       // `size` bytes
    kRepeat,    // child i at i * stride
    kOffsets,   // one child at offsets[i]
    kPieces,    // runs at offsets[i], of starts[i + 1] - starts[i] bytes
    kSequence,  // children[i] at offsets[i]
  };

  Kind kind = Kind::kRun;
  bool monotone = true;
  bool ordered = true;
  int32_t depth = 1;
  int64_t size = 0;
  int64_t pieces = 1;
  Extent bounds;
  int64_t last_offset = 0;  // of the last piece
  uint64_t fingerprint = 0;

  int64_t count = 1;  // of children; 1 for a run, which is its own child
  int64_t stride = 0;
  Ref child;                     // kRepeat, kOffsets
  std::vector<int64_t> offsets;  // kOffsets, kPieces, kSequence: count entries, the first one 0
  std::vector<int64_t> starts;   // kPieces, kSequence: stream starts, count + 1 entries
  std::vector<Ref> children;     // kSequence

  [[nodiscard]] bool is_run() const { return kind == Kind::kRun; }
  [[nodiscard]] int64_t child_offset(int64_t i) const {
    return kind == Kind::kRepeat ? i * stride
           : kind == Kind::kRun  ? 0
                                 : offsets[static_cast<size_t>(i)];
  }
  // The stream position at which child i begins.
  [[nodiscard]] int64_t child_start(int64_t i) const {
    switch (kind) {
      case Kind::kRun: return 0;
      case Kind::kRepeat:
      case Kind::kOffsets: return i * child->size;
      default: return starts[static_cast<size_t>(i)];
    }
  }
  // Child i, or null where the children are mere runs (kRun, kPieces).
  [[nodiscard]] const Node* child_node(int64_t i) const {
    return kind == Kind::kSequence ? children[static_cast<size_t>(i)].get() : child.get();
  }
  // The child that holds stream position `position`. REQUIRES: 0 <= position < size.
  [[nodiscard]] int64_t child_holding(int64_t position) const;
};

// Whether two trees are the same; equal fingerprints are checked first.
[[nodiscard]] bool same_tree(const Pattern::Node& a, const Pattern::Node& b);

// Mixes a word into a hash.
[[nodiscard]] constexpr uint64_t mix(uint64_t hash, uint64_t word) {
  uint64_t x = hash ^ (word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Arithmetic that stops at +-Pattern::kMaxBytes instead of overflowing.
[[nodiscard]] constexpr int64_t clamp_bytes(__int128 value) {
  constexpr __int128 kMax = Pattern::kMaxBytes;
  return static_cast<int64_t>(value > kMax ? kMax : value < -kMax ? -kMax : value);
}
[[nodiscard]] constexpr int64_t add_bytes(int64_t a, int64_t b) {
  return clamp_bytes(static_cast<__int128>(a) + b);
}
[[nodiscard]] constexpr int64_t multiply_bytes(int64_t a, int64_t b) {
  return clamp_bytes(static_cast<__int128>(a) * b);
}

}  // namespace longshore
