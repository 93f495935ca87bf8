// datatype/pattern.h - which bytes an access touches and in which order, compressed.
//
// A Pattern is a tree of nested strides, as built by MPI's type constructors. It stands for a
// sequence of pieces (offset, length) but never enumerates what a stride can say: a vector of 10^8
// blocks is two nodes. The bytes of the sequence, in order, form the *stream*; position p of the
// stream is what MPI_Pack would put at byte p. The same value describes memory (any order, any
// overlap, negative offsets) and files (offsets never fall).
//
// Worked example: vector(count 3, blocklength 2, stride 4) of 8-byte doubles is
// repeat(3, 32, run(16)): pieces (0,16) (32,16) (64,16); size 48, bounds [0,80). Stream position 20
// is offset 36. The offset range [40, 70) holds stream positions [24, 38).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/extent.h"
#include "core/result.h"

namespace longshore {

struct Piece {
  int64_t offset = 0;
  int64_t length = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Immutable and cheap to copy (shared nodes); all methods may be called by several threads.
// Building joins what adjoins: a contiguous type is one run however it was constructed.
// REQUIRES of every builder: offsets, lengths and their sums stay within +-kMaxBytes. What exceeds
// that is clamped to it, so that a caller with untrusted numbers can look at size() and bounds().
class Pattern {
 public:
  static constexpr int64_t kMaxBytes = int64_t{1} << 62;

  Pattern();  // empty: no pieces

  // `length` bytes at offset 0. REQUIRES: length >= 0.
  static Pattern run(int64_t length);
  // `count` copies of `child`, copy i moved by i * stride (any sign, also zero).
  static Pattern repeat(int64_t count, int64_t stride, const Pattern& child);
  // Copies of one child at the given offsets, in the given order.
  static Pattern at_offsets(std::vector<int64_t> offsets, const Pattern& child);
  // Different children at the given offsets, in the given order; equal lengths.
  static Pattern sequence(const std::vector<int64_t>& offsets,
                          const std::vector<Pattern>& children);
  // The pieces as listed, in that order; lengths below 1 vanish. Sixteen bytes a piece, so this is
  // the cheapest form of an irregular list.
  static Pattern of_pieces(std::span<const Piece> pieces);

  [[nodiscard]] Pattern shifted(int64_t by) const;

  [[nodiscard]] int64_t size() const;     // bytes in the stream
  [[nodiscard]] Extent bounds() const;    // hull of all non-empty pieces; {0,0} if none
  [[nodiscard]] int64_t pieces() const;   // upper bound of the number of pieces a walk yields
  [[nodiscard]] bool contiguous() const;  // at most one piece
  // Offsets never fall along the stream and no byte occurs twice.
  [[nodiscard]] bool monotone() const;
  // Offsets of the pieces never fall, but pieces may overlap (legal for a read-only view).
  [[nodiscard]] bool ordered() const;

  // The offset of stream position p. REQUIRES: 0 <= p < size().
  [[nodiscard]] int64_t offset_at(int64_t position) const;
  // The first stream position whose offset is >= `offset`; size() if there is none.
  // O(depth * log width). REQUIRES: monotone().
  [[nodiscard]] int64_t position_of(int64_t offset) const;

  // Stream positions [first, last) as a pattern of their own, offsets unchanged. O(depth) but for
  // irregular lists, whose entries in the range are copied. REQUIRES: 0 <= first, last <= size().
  [[nodiscard]] Pattern slice(int64_t first, int64_t last) const;

  // Copies stream positions [first, first + out.size()) between typed memory and a plain buffer.
  // `base` is what offset 0 stands for. REQUIRES: the range lies in the stream.
  void pack(int64_t first, std::span<std::byte> out, const std::byte* base) const;
  void unpack(int64_t first, std::span<const std::byte> in, std::byte* base) const;

  // A portable byte image of the tree, and back; deserialize fails with kInvalidArgument on bytes
  // that serialize did not make (lengths, counts and sums are checked, trees deeper than 256
  // refused). A regular pattern of any size takes a few bytes, a list two to ten a piece.
  [[nodiscard]] std::vector<std::byte> serialize() const;
  [[nodiscard]] static Result<Pattern> deserialize(std::span<const std::byte> bytes);
  // Equal trees have equal fingerprints; computed once at construction.
  [[nodiscard]] uint64_t fingerprint() const;
  friend bool operator==(const Pattern& a, const Pattern& b);

  // The tree behind the pattern, for this folder's own files (pattern_node.h): null if empty.
  // Nodes start at offset 0; the pattern is its root moved by shift().
  struct Node;
  [[nodiscard]] const std::shared_ptr<const Node>& root_node() const { return root_; }
  [[nodiscard]] const Node* root() const { return root_.get(); }
  [[nodiscard]] int64_t shift() const { return shift_; }
  Pattern(std::shared_ptr<const Node> root, int64_t shift);

 private:
  std::shared_ptr<const Node> root_;
  int64_t shift_ = 0;
};

// Yields the pieces of stream positions [first, last) of a pattern in stream order, the first and
// the last one cut as needed. Adjoining pieces may come joined. Cheap to start anywhere
// (O(depth * log width)) and to advance (amortised O(1)).
class PatternWalk {
 public:
  PatternWalk(const Pattern& pattern, int64_t first, int64_t last);
  ~PatternWalk();
  PatternWalk(PatternWalk&&) noexcept;
  PatternWalk& operator=(PatternWalk&&) noexcept;

  // False at the end.
  bool next(Piece& piece);
  // The stream position of the piece that next() would yield.
  [[nodiscard]] int64_t position() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A place in a stream of bytes that lie in memory as `pattern` says; `base` is its offset 0.
struct StreamPlace {
  const Pattern& pattern;
  int64_t first = 0;
  std::byte* base = nullptr;
};

// Copies `bytes` bytes of one stream to another, straight from piece to piece.
void copy_stream(const StreamPlace& from, const StreamPlace& to, int64_t bytes);

// A pattern tiled without end: tile i is the pattern moved by origin + i * tile_extent. This is a
// file view. Stream positions run on from tile to tile, so position p is
// p / size() tiles and p % size() within.
//   REQUIRES: tile.monotone() (or ordered() for reads only), and tile_extent >= the hull's length
//   where more than one tile is used. An empty tile has no positions.
class TiledPattern {
 public:
  TiledPattern();  // origin 0, one-byte tiles: the plain file
  TiledPattern(int64_t origin, int64_t tile_extent, Pattern tile);

  [[nodiscard]] int64_t origin() const { return origin_; }
  [[nodiscard]] int64_t tile_extent() const { return tile_extent_; }
  [[nodiscard]] const Pattern& tile() const { return tile_; }
  // Every byte from the first on belongs to the view: no holes.
  [[nodiscard]] bool dense() const;

  [[nodiscard]] int64_t offset_at(int64_t position) const;  // REQUIRES: tile not empty
  // First position whose offset is >= offset. REQUIRES: tile monotone and not empty.
  [[nodiscard]] int64_t position_of(int64_t offset) const;
  // The hull of stream positions [first, last); {0,0} if empty.
  [[nodiscard]] Extent hull_of(int64_t first, int64_t last) const;
  // Stream positions [first, last) as one Pattern with absolute offsets (cut tiles at both ends,
  // a repeat between): cheap whatever the number of tiles.
  [[nodiscard]] Pattern slice(int64_t first, int64_t last) const;

  [[nodiscard]] std::vector<std::byte> serialize() const;
  [[nodiscard]] static Result<TiledPattern> deserialize(std::span<const std::byte> bytes);
  [[nodiscard]] uint64_t fingerprint() const;
  friend bool operator==(const TiledPattern& a, const TiledPattern& b);

 private:
  int64_t origin_ = 0;
  int64_t tile_extent_ = 1;
  Pattern tile_;
};

}  // namespace longshore
