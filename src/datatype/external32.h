// datatype/external32.h - MPI's portable data representation, item by item. Plain arithmetic on
// bytes: no MPI, and no floating-point unit, whose modes belong to the program.
//
// In the file all is big-endian and without gaps. Most values only turn their bytes around. A long
// double is 16 bytes of IEEE binary128 there: 1.5L is 3fff8000 00000000 00000000 00000000, where
// memory on x86-64 has the extended format 00000000 000000c0 ff3f and 6 bytes of padding.
#pragma once
#include <cstddef>
#include <cstdint>

namespace longshore {

enum class ValueKind {
  kPlain,       // as many bytes in the file as in memory: 1, 2, 4, 8 or 16
  kLong,        // a signed integer of 8 bytes in memory and 4 in the file, its lower half
  kWideChar,    // 4 bytes in memory, 2 in the file
  kLongDouble,  // x86's extended format in 16 bytes of memory, binary128 in the file
};

// An item is `values` equal values, and an int behind them if it is a pair of MPI_MINLOC. Its
// memory form here has no holes: an item of MPI_SHORT_INT takes 6 bytes.
struct ItemShape {
  ValueKind kind = ValueKind::kPlain;
  int64_t plain_bytes = 0;  // of a kPlain value
  int64_t values = 1;
  bool index = false;

  [[nodiscard]] int64_t memory_bytes() const;
  [[nodiscard]] int64_t file_bytes() const;
};

// Converts `items` items. False if a wide character does not fit in 2 bytes; `file` is then
// unspecified. Neither buffer need be aligned.
[[nodiscard]] bool to_external32(const ItemShape& shape, int64_t items, const std::byte* memory,
                                 std::byte* file);
// The way back. binary128 is rounded to the nearest extended number, ties to even; padding is zero.
void from_external32(const ItemShape& shape, int64_t items, const std::byte* file,
                     std::byte* memory);

}  // namespace longshore
