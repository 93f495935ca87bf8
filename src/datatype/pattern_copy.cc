// Pack and unpack. A range of the stream is cut into whole subtrees plus at most two cut ones per
// level; whole subtrees go through copy_all, whose innermost two levels are one loop nest
// (copy_grid) compiled for the common piece lengths. Recursion is as deep as the tree, never as
// wide. Addresses are integers, since offsets may be absolute (a base of null).
#include <algorithm>
#include <cassert>
#include <cstring>

#include "datatype/pattern_node.h"

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;
using Address = uintptr_t;

// Two overlapping moves of `Unit` cover any length from sizeof(Unit) to twice that.
template <typename Unit>
inline void move_ends(std::byte* to, const std::byte* from, size_t length) {
  Unit head;
  Unit tail;
  std::memcpy(&head, from, sizeof(Unit));
  std::memcpy(&tail, from + length - sizeof(Unit), sizeof(Unit));
  std::memcpy(to, &head, sizeof(Unit));
  std::memcpy(to + length - sizeof(Unit), &tail, sizeof(Unit));
}

struct Block16 {
  uint64_t words[2];
};
struct Block32 {
  uint64_t words[4];
};

// Moves of a length known when compiling.
template <size_t Length>
struct FixedMove {
  static constexpr size_t length() { return Length; }
  static void move(std::byte* to, const std::byte* from) { std::memcpy(to, from, Length); }
};

// Lengths from sizeof(Unit) to twice that.
template <typename Unit>
struct ShortMove {
  size_t bytes;
  [[nodiscard]] size_t length() const { return bytes; }
  void move(std::byte* to, const std::byte* from) const { move_ends<Unit>(to, from, bytes); }
};

struct LongMove {
  size_t bytes;
  [[nodiscard]] size_t length() const { return bytes; }
  void move(std::byte* to, const std::byte* from) const { std::memcpy(to, from, bytes); }
};

// Calls `use` with the quickest mover for pieces of `length` bytes.
template <typename Use>
void with_mover(size_t length, Use&& use) {
  switch (length) {
    case 1: return use(FixedMove<1>{});
    case 2: return use(FixedMove<2>{});
    case 4: return use(FixedMove<4>{});
    case 8: return use(FixedMove<8>{});
    case 12: return use(FixedMove<12>{});
    case 16: return use(FixedMove<16>{});
    case 24: return use(FixedMove<24>{});
    case 32: return use(FixedMove<32>{});
    case 64: return use(FixedMove<64>{});
    default: break;
  }
  if (length > 8 && length < 16) {
    return use(ShortMove<uint64_t>{length});
  }
  if (length > 16 && length < 32) {
    return use(ShortMove<Block16>{length});
  }
  if (length > 32 && length < 64) {
    return use(ShortMove<Block32>{length});
  }
  return use(LongMove{length});
}

// copies `outer_count` times `inner_count` pieces; both levels are plain strides.
struct Grid {
  int64_t outer_count;
  int64_t outer_stride;
  int64_t inner_count;
  int64_t inner_stride;
};

// Copies between typed memory and a stream that moves on by itself.
template <bool kPack>
class Copier {
 public:
  using Stream = std::conditional_t<kPack, std::byte, const std::byte>;
  explicit Copier(Stream* stream) : stream_(stream) {}

  // Stream positions [first, last) of the node, whose offset 0 is at `base`.
  void copy_range(const Node& node, Address base, int64_t first, int64_t last) {
    if (first == 0 && last == node.size) {
      return copy_all(node, base);
    }
    if (node.is_run()) {
      return copy_run(base + static_cast<Address>(first), last - first);
    }
    int64_t i = node.child_holding(first);
    if (first > node.child_start(i)) {
      const int64_t end = std::min(last, node.child_start(i + 1));
      copy_part_of_child(node, base, i, {first, end});
      first = end;
      ++i;
    }
    const int64_t whole_to = last == node.size ? node.count
                             : first < last    ? node.child_holding(last)
                                               : i;
    copy_children(node, base, i, whole_to);
    const int64_t tail = std::max(first, node.child_start(whole_to));
    if (tail < last) {
      copy_part_of_child(node, base, whole_to, {tail, last});
    }
  }

 private:
  static Address moved(Address base, int64_t by) { return base + static_cast<Address>(by); }

  template <typename Mover>
  void copy_piece(const Mover& mover, Address at) {
    if constexpr (kPack) {
      mover.move(stream_, reinterpret_cast<const std::byte*>(at));
    } else {
      mover.move(reinterpret_cast<std::byte*>(at), stream_);
    }
    stream_ += mover.length();
  }

  void copy_run(Address at, int64_t length) {
    copy_piece(LongMove{static_cast<size_t>(length)}, at);
  }

  // `part` is in the stream positions of `node`, inside child i.
  void copy_part_of_child(const Node& node, Address base, int64_t i, Extent part) {
    const int64_t start = node.child_start(i);
    const Address at = moved(base, node.child_offset(i));
    if (const Node* child = node.child_node(i)) {
      return copy_range(*child, at, part.begin - start, part.end - start);
    }
    copy_run(moved(at, part.begin - start), part.length());
  }

  void copy_all(const Node& node, Address base) { copy_children(node, base, 0, node.count); }

  // Children [from, to), all of them whole.
  void copy_children(const Node& node, Address base, int64_t from, int64_t to) {
    switch (node.kind) {
      case Kind::kRun: return copy_run(base, node.size);
      case Kind::kRepeat: return copy_repeat(node, moved(base, from * node.stride), to - from);
      case Kind::kOffsets: return copy_offsets(node, base, from, to);
      case Kind::kPieces: return copy_pieces(node, base, from, to);
      case Kind::kSequence:
        for (int64_t i = from; i < to; ++i) {
          copy_all(*node.child_node(i), moved(base, node.child_offset(i)));
        }
    }
  }

  void copy_repeat(const Node& node, Address at, int64_t count) {
    const Node& child = *node.child;
    if (child.is_run()) {
      return copy_grid({1, 0, count, node.stride}, at, child.size);
    }
    if (child.kind == Kind::kRepeat && child.child->is_run()) {
      return copy_grid({count, node.stride, child.count, child.stride}, at, child.child->size);
    }
    for (int64_t i = 0; i < count; ++i) {
      copy_all(child, moved(at, i * node.stride));
    }
  }

  void copy_grid(const Grid& grid, Address at, int64_t length) {
    with_mover(static_cast<size_t>(length), [&](const auto& mover) {
      // A copy in a local, so that the loop keeps the position in a register.
      Copier local(stream_);
      const auto step = static_cast<Address>(grid.inner_stride);
      for (int64_t i = 0; i < grid.outer_count; ++i) {
        Address piece = moved(at, i * grid.outer_stride);
        for (int64_t j = 0; j < grid.inner_count; ++j, piece += step) {
          local.copy_piece(mover, piece);
        }
      }
      stream_ = local.stream_;
    });
  }

  void copy_offsets(const Node& node, Address base, int64_t from, int64_t to) {
    const Node& child = *node.child;
    if (!child.is_run()) {
      for (int64_t i = from; i < to; ++i) {
        copy_all(child, moved(base, node.child_offset(i)));
      }
      return;
    }
    with_mover(static_cast<size_t>(child.size), [&](const auto& mover) {
      Copier local(stream_);
      const int64_t* offsets = node.offsets.data();
      for (int64_t i = from; i < to; ++i) {
        local.copy_piece(mover, moved(base, offsets[i]));
      }
      stream_ = local.stream_;
    });
  }

  void copy_pieces(const Node& node, Address base, int64_t from, int64_t to) {
    const int64_t* offsets = node.offsets.data();
    const int64_t* starts = node.starts.data();
    for (int64_t i = from; i < to; ++i) {
      copy_run(moved(base, offsets[i]), starts[i + 1] - starts[i]);
    }
  }

  Stream* stream_;
};

}  // namespace

void Pattern::pack(int64_t first, std::span<std::byte> out, const std::byte* base) const {
  const auto last = first + static_cast<int64_t>(out.size());
  assert(first >= 0 && last <= size());
  if (!out.empty() && root_) {
    const auto origin = reinterpret_cast<Address>(base) + static_cast<Address>(shift_);
    Copier<true>(out.data()).copy_range(*root_, origin, first, last);
  }
}

void Pattern::unpack(int64_t first, std::span<const std::byte> in, std::byte* base) const {
  const auto last = first + static_cast<int64_t>(in.size());
  assert(first >= 0 && last <= size());
  if (!in.empty() && root_) {
    const auto origin = reinterpret_cast<Address>(base) + static_cast<Address>(shift_);
    Copier<false>(in.data()).copy_range(*root_, origin, first, last);
  }
}

}  // namespace longshore
