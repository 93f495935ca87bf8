#include "datatype/external32.h"

#include <bit>
#include <cstring>

namespace longshore {

namespace {

constexpr int64_t kIndexBytes = 4;
constexpr uint64_t kIntegerBit = uint64_t{1} << 63;  // x86 stores the 1 before the point
constexpr uint64_t kQuietBit = uint64_t{1} << 62;    // of a NaN
constexpr uint64_t kMaxExponent = 0x7fff;
// binary128 has 112 bits of fraction, the extended format 63: the upper half of binary128 holds
// 16 bits of sign and exponent and 48 of the fraction, so its lower half begins at bit 49 of ours.
constexpr int kHighFractionBits = 48;
constexpr int kDroppedBits = 49;

template <typename Word>
Word load(const std::byte* from) {
  Word word{};
  std::memcpy(&word, from, sizeof(Word));
  return word;
}
template <typename Word>
void store(std::byte* to, Word word) {
  std::memcpy(to, &word, sizeof(Word));
}

uint16_t turned(uint16_t word) { return __builtin_bswap16(word); }
uint32_t turned(uint32_t word) { return __builtin_bswap32(word); }
uint64_t turned(uint64_t word) { return __builtin_bswap64(word); }

// Between the machine's order and the file's; its own inverse.
template <typename Word>
Word big_endian(Word word) {
  return std::endian::native == std::endian::little ? turned(word) : word;
}

template <typename Word>
void copy_turned(int64_t count, const std::byte* from, std::byte* to) {
  constexpr int64_t kBytes = sizeof(Word);
  for (int64_t i = 0; i < count; ++i) {
    store(to + i * kBytes, big_endian(load<Word>(from + i * kBytes)));
  }
}

void copy_turned_16(int64_t count, const std::byte* from, std::byte* to) {
  const bool swap = std::endian::native == std::endian::little;
  for (int64_t i = 0; i < count; ++i, from += 16, to += 16) {
    const auto first = big_endian(load<uint64_t>(from));
    const auto second = big_endian(load<uint64_t>(from + 8));
    store(to, swap ? second : first);
    store(to + 8, swap ? first : second);
  }
}

// Plain values look the same from both sides.
void convert_plain(int64_t value_bytes, int64_t count, const std::byte* from, std::byte* to) {
  switch (value_bytes) {
    case 2: return copy_turned<uint16_t>(count, from, to);
    case 4: return copy_turned<uint32_t>(count, from, to);
    case 8: return copy_turned<uint64_t>(count, from, to);
    case 16: return copy_turned_16(count, from, to);
    default: std::memcpy(to, from, static_cast<size_t>(value_bytes * count));
  }
}

struct Extended {
  uint64_t significand;
  uint16_t sign_exponent;
};
struct Binary128 {
  uint64_t high;
  uint64_t low;
};

// Exact. What x86 holds for no number (an exponent, but no integer bit) becomes a quiet NaN, which
// is what its arithmetic makes of it.
Binary128 widened(Extended value) {
  const uint64_t sign = uint64_t{value.sign_exponent} & 0x8000;
  const uint64_t exponent = uint64_t{value.sign_exponent} & kMaxExponent;
  const uint64_t fraction = value.significand & ~kIntegerBit;
  if (exponent != 0 && (value.significand & kIntegerBit) == 0) {
    return {(sign | kMaxExponent) << kHighFractionBits | kQuietBit >> 15, 0};
  }
  // Without an exponent the integer bit, if there is one, becomes the exponent 1.
  const uint64_t significand = exponent == 0 ? value.significand : fraction;
  return {((sign | exponent) << kHighFractionBits) + (significand >> 15),
          significand << kDroppedBits};
}

Extended nan_or_infinity(uint16_t sign_exponent, uint64_t kept, bool nan) {
  // A NaN whose marks are all in the dropped bits must not become an infinity.
  const bool vanished = nan && kept == 0;
  return {kIntegerBit | kept | (vanished ? kQuietBit : 0), sign_exponent};
}

Extended rounded(Binary128 value) {
  auto sign_exponent = static_cast<uint16_t>(value.high >> kHighFractionBits);
  const uint64_t exponent = sign_exponent & kMaxExponent;
  const uint64_t kept = (value.high << 15 & ~kIntegerBit) | value.low >> kDroppedBits;
  const uint64_t dropped = value.low & ((uint64_t{1} << kDroppedBits) - 1);
  if (exponent == kMaxExponent) {
    return nan_or_infinity(sign_exponent, kept, kept != 0 || dropped != 0);
  }
  uint64_t significand = kept | (exponent == 0 ? 0 : kIntegerBit);
  constexpr uint64_t kHalf = uint64_t{1} << (kDroppedBits - 1);
  if (dropped > kHalf || (dropped == kHalf && (significand & 1) != 0)) {
    ++significand;
    // All ones went over: the next power of two, or infinity. A denormal that went over is the
    // smallest normal number.
    const bool carried = significand == 0 || (exponent == 0 && significand == kIntegerBit);
    sign_exponent = static_cast<uint16_t>(sign_exponent + (carried ? 1 : 0));
    significand = significand == 0 ? kIntegerBit : significand;
  }
  return {significand, sign_exponent};
}

void long_double_to_file(const std::byte* memory, std::byte* file) {
  const auto wide = widened({load<uint64_t>(memory), load<uint16_t>(memory + 8)});
  store(file, big_endian(wide.high));
  store(file + 8, big_endian(wide.low));
}

void long_double_to_memory(const std::byte* file, std::byte* memory) {
  const auto value =
      rounded({big_endian(load<uint64_t>(file)), big_endian(load<uint64_t>(file + 8))});
  store(memory, value.significand);
  store(memory + 8, uint64_t{value.sign_exponent});
}

int64_t value_memory_bytes(const ItemShape& shape) {
  switch (shape.kind) {
    case ValueKind::kLong: return 8;
    case ValueKind::kWideChar: return 4;
    case ValueKind::kLongDouble: return 16;
    case ValueKind::kPlain: break;
  }
  return shape.plain_bytes;
}

int64_t value_file_bytes(const ItemShape& shape) {
  switch (shape.kind) {
    case ValueKind::kLong: return 4;
    case ValueKind::kWideChar: return 2;
    case ValueKind::kLongDouble: return 16;
    case ValueKind::kPlain: break;
  }
  return shape.plain_bytes;
}

bool wide_chars_to_file(int64_t count, const std::byte* memory, std::byte* file) {
  uint32_t all_bits = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto wide = load<uint32_t>(memory + i * 4);
    all_bits |= wide;
    store(file + i * 2, big_endian(static_cast<uint16_t>(wide)));
  }
  return all_bits <= 0xffff;
}

bool values_to_file(const ItemShape& shape, int64_t count, const std::byte* memory,
                    std::byte* file) {
  switch (shape.kind) {
    case ValueKind::kPlain: convert_plain(shape.plain_bytes, count, memory, file); break;
    case ValueKind::kLong:
      for (int64_t i = 0; i < count; ++i) {
        store(file + i * 4, big_endian(static_cast<uint32_t>(load<uint64_t>(memory + i * 8))));
      }
      break;
    case ValueKind::kWideChar: return wide_chars_to_file(count, memory, file);
    case ValueKind::kLongDouble:
      for (int64_t i = 0; i < count; ++i) {
        long_double_to_file(memory + i * 16, file + i * 16);
      }
      break;
  }
  return true;
}

void values_to_memory(const ItemShape& shape, int64_t count, const std::byte* file,
                      std::byte* memory) {
  switch (shape.kind) {
    case ValueKind::kPlain: convert_plain(shape.plain_bytes, count, file, memory); break;
    case ValueKind::kLong:
      for (int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<int32_t>(big_endian(load<uint32_t>(file + i * 4)));
        store(memory + i * 8, int64_t{value});
      }
      break;
    case ValueKind::kWideChar:
      for (int64_t i = 0; i < count; ++i) {
        store(memory + i * 4, uint32_t{big_endian(load<uint16_t>(file + i * 2))});
      }
      break;
    case ValueKind::kLongDouble:
      for (int64_t i = 0; i < count; ++i) {
        long_double_to_memory(file + i * 16, memory + i * 16);
      }
      break;
  }
}

}  // namespace

int64_t ItemShape::memory_bytes() const {
  return values * value_memory_bytes(*this) + (index ? kIndexBytes : 0);
}
int64_t ItemShape::file_bytes() const {
  return values * value_file_bytes(*this) + (index ? kIndexBytes : 0);
}

bool to_external32(const ItemShape& shape, int64_t items, const std::byte* memory,
                   std::byte* file) {
  if (!shape.index) {
    return values_to_file(shape, items * shape.values, memory, file);
  }
  const int64_t memory_step = shape.memory_bytes();
  const int64_t file_step = shape.file_bytes();
  bool fits = true;
  for (int64_t i = 0; i < items; ++i, memory += memory_step, file += file_step) {
    fits = values_to_file(shape, shape.values, memory, file) && fits;
    copy_turned<uint32_t>(1, memory + memory_step - kIndexBytes, file + file_step - kIndexBytes);
  }
  return fits;
}

void from_external32(const ItemShape& shape, int64_t items, const std::byte* file,
                     std::byte* memory) {
  if (!shape.index) {
    return values_to_memory(shape, items * shape.values, file, memory);
  }
  const int64_t memory_step = shape.memory_bytes();
  const int64_t file_step = shape.file_bytes();
  for (int64_t i = 0; i < items; ++i, memory += memory_step, file += file_step) {
    values_to_memory(shape, shape.values, file, memory);
    copy_turned<uint32_t>(1, file + file_step - kIndexBytes, memory + memory_step - kIndexBytes);
  }
}

}  // namespace longshore
