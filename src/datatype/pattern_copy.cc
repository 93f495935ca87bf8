// Pack and unpack. A range of the stream is cut into whole subtrees plus at most two cut ones per
// level; whole subtrees go through copy_all, whose innermost two levels are one loop nest
// (copy_grid) compiled for the common piece lengths. Recursion is as deep as the tree, never as
// wide. Addresses are integers, since offsets may be absolute (a base of null).
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "datatype/pattern_move.h"
#include "datatype/pattern_node.h"

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;

// `outer_count` times `inner_count` pieces; both levels are plain strides.
struct Grid {
  int64_t outer_count;
  int64_t outer_stride;
  int64_t inner_count;
  int64_t inner_stride;
};

// One piece of a small child of a repeat: its offset, and its place in the child's stream.
struct Column {
  int64_t offset;
  int64_t start;
  int64_t length;
};

// A child with more pieces than this is copied piece by piece, and so is one whose instances lie
// far apart: a column of them would fill few sets of the cache again and again.
constexpr int64_t kMaxColumns = 32;
constexpr int64_t kMaxColumnStride = 1024;

class Columns {
 public:
  // REQUIRES: node.pieces <= kMaxColumns.
  explicit Columns(const Node& node) { collect(node, 0); }
  [[nodiscard]] const Column* begin() const { return columns_.data(); }
  [[nodiscard]] const Column* end() const { return columns_.data() + count_; }
  // Instances to copy column by column before turning to the next ones: few enough for their
  // cache lines to stay.
  [[nodiscard]] int64_t batch() const {
    return std::max(int64_t{4}, 256 / std::max(int64_t{1}, static_cast<int64_t>(count_)));
  }

 private:
  void collect(const Node& node, int64_t offset) {
    if (node.is_run()) {
      return add(offset, node.size);
    }
    for (int64_t i = 0; i < node.count; ++i) {
      const int64_t at = offset + node.child_offset(i);
      if (const Node* child = node.child_node(i)) {
        collect(*child, at);
      } else {
        add(at, node.child_start(i + 1) - node.child_start(i));
      }
    }
  }
  void add(int64_t offset, int64_t length) {
    columns_[count_++] = {offset, size_, length};
    size_ += length;
  }

  std::array<Column, kMaxColumns> columns_;
  size_t count_ = 0;
  int64_t size_ = 0;
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
    // Columns change the order of the bytes, which shows where an unpack writes a byte twice.
    if (count >= 4 && child.pieces <= kMaxColumns && std::abs(node.stride) <= kMaxColumnStride &&
        (kPack || node.monotone)) {
      return copy_columns(Columns(child), {count, node.stride, 0, 0}, at, child.size);
    }
    for (int64_t i = 0; i < count; ++i) {
      copy_all(child, moved(at, i * node.stride));
    }
  }

  // A repeat of a small child, such as a struct with holes: the first piece of many instances,
  // then the second piece of them, and so on, each a loop over one piece length.
  void copy_columns(const Columns& columns, const Grid& grid, Address at, int64_t child_size) {
    const int64_t batch = columns.batch();
    for (int64_t i = 0; i < grid.outer_count; i += batch) {
      const int64_t instances = std::min(batch, grid.outer_count - i);
      const Address base = moved(at, i * grid.outer_stride);
      for (const Column& column : columns) {
        copy_column(column, {instances, grid.outer_stride, 0, child_size}, base);
      }
      stream_ += instances * child_size;
    }
  }

  // The grid's inner stride is that of the stream, which stays where it is.
  void copy_column(const Column& column, const Grid& grid, Address base) const {
    with_mover(static_cast<size_t>(column.length), [&](const auto& mover) {
      Address piece = moved(base, column.offset);
      Stream* stream = stream_ + column.start;
      for (int64_t i = 0; i < grid.outer_count; ++i) {
        Copier(stream).copy_piece(mover, piece);
        piece += static_cast<Address>(grid.outer_stride);
        stream += grid.inner_stride;
      }
    });
  }

  void copy_grid(const Grid& grid, Address at, int64_t length) {
    with_mover(static_cast<size_t>(length), [&](const auto& mover) {
      if constexpr (kPack && std::is_same_v<std::decay_t<decltype(mover)>, BlocksMove<false>>) {
        const Address ahead = kPiecesAhead * static_cast<Address>(grid.inner_stride);
        copy_grid(BlocksMove<true>{mover.bytes, ahead}, grid, at);
      } else {
        copy_grid(mover, grid, at);
      }
    });
  }

  template <typename Mover>
  void copy_grid(const Mover& mover, const Grid& grid, Address at) {
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
    Copier local(stream_);
    for (int64_t i = from; i < to; ++i) {
      const AnyMove mover{static_cast<size_t>(starts[i + 1] - starts[i])};
      local.copy_piece(mover, moved(base, offsets[i]));
    }
    stream_ = local.stream_;
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

void copy_stream(const StreamPlace& from, const StreamPlace& to, int64_t bytes) {
  if (bytes == 0) {
    return;
  }
  const auto length = static_cast<size_t>(bytes);
  if (from.pattern.contiguous()) {
    const std::byte* at = from.base + from.pattern.bounds().begin + from.first;
    return to.pattern.unpack(to.first, {at, length}, to.base);
  }
  if (to.pattern.contiguous()) {
    std::byte* at = to.base + to.pattern.bounds().begin + to.first;
    return from.pattern.pack(from.first, {at, length}, from.base);
  }
  PatternWalk sources(from.pattern, from.first, from.first + bytes);
  PatternWalk targets(to.pattern, to.first, to.first + bytes);
  Piece source;
  Piece target;
  while (bytes > 0) {
    if (source.length == 0 && !sources.next(source)) {
      return;
    }
    if (target.length == 0 && !targets.next(target)) {
      return;
    }
    const int64_t step = std::min(source.length, target.length);
    AnyMove{static_cast<size_t>(step)}.move(to.base + target.offset, from.base + source.offset);
    source = {source.offset + step, source.length - step};
    target = {target.offset + step, target.length - step};
    bytes -= step;
  }
}

}  // namespace longshore
