// datatype/pattern_move.h - how one piece is moved, for pattern_copy.cc: a mover per class of
// lengths, each with the loop that is quickest for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace longshore {

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

constexpr size_t kBlock = 64;
constexpr size_t kMaxBlocksMove = 512;
constexpr Address kPiecesAhead = 4;

// Lengths from a block on: whole blocks, and one that ends with the piece and may overlap the last.
// Up to kMaxBlocksMove that takes less time than the call of memcpy and its choice of a way.
//
// With kFetch the processor is told to fetch the block that lies `ahead` bytes from each: across
// the gap between two pieces it would guess wrong. That may be behind the data: no access is made.
template <bool kFetch>
struct BlocksMove {
  size_t bytes;
  Address ahead = 0;
  [[nodiscard]] size_t length() const { return bytes; }
  void move(std::byte* to, const std::byte* from) const {
    const size_t last = bytes - kBlock;
    for (size_t at = 0; at < last; at += kBlock) {
      move_block(to + at, from + at);
    }
    move_block(to + last, from + last);
  }
  void move_block(std::byte* to, const std::byte* from) const {
    if constexpr (kFetch) {
      __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<Address>(from) + ahead));
    }
    std::memcpy(to, from, kBlock);
  }
};

// Lengths that change from piece to piece.
struct AnyMove {
  size_t bytes;
  [[nodiscard]] size_t length() const { return bytes; }
  void move(std::byte* to, const std::byte* from) const {
    if (bytes > 64) {
      std::memcpy(to, from, bytes);
    } else if (bytes >= 32) {
      move_ends<Block32>(to, from, bytes);
    } else if (bytes >= 16) {
      move_ends<Block16>(to, from, bytes);
    } else if (bytes >= 8) {
      move_ends<uint64_t>(to, from, bytes);
    } else if (bytes >= 4) {
      move_ends<uint32_t>(to, from, bytes);
    } else {
      to[0] = from[0];
      if (bytes > 1) {
        move_ends<uint16_t>(to, from, bytes);
      }
    }
  }
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
  if (length > kBlock && length <= kMaxBlocksMove) {
    return use(BlocksMove<false>{length});
  }
  return use(LongMove{length});
}

}  // namespace longshore
