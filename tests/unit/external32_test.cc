#include "datatype/external32.h"

#include <gmock/gmock.h>

#include <array>
#include <cfloat>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace longshore {
namespace {

using Bytes = std::vector<std::byte>;

constexpr ItemShape kLongDoubles{ValueKind::kLongDouble, 0, 1, false};
constexpr uint64_t kTop = uint64_t{1} << 63;

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte each : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<int>(each) >> 4];
    text += kDigits[std::to_integer<int>(each) & 15];
  }
  return text;
}

Bytes unhex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <typename Value>
Bytes bytes_of(const Value& value) {
  Bytes bytes(sizeof(Value));
  std::memcpy(bytes.data(), &value, sizeof(Value));
  return bytes;
}

std::string in_file(const ItemShape& shape, const Bytes& memory) {
  const auto items = static_cast<int64_t>(memory.size()) / shape.memory_bytes();
  Bytes file(static_cast<size_t>(items * shape.file_bytes()), std::byte{0xee});
  return to_external32(shape, items, memory.data(), file.data()) ? hex(file) : "refused";
}

Bytes in_memory(const ItemShape& shape, const Bytes& file) {
  const auto items = static_cast<int64_t>(file.size()) / shape.file_bytes();
  Bytes memory(static_cast<size_t>(items * shape.memory_bytes()), std::byte{0xee});
  from_external32(shape, items, file.data(), memory.data());
  return memory;
}

// x86's extended format in memory: significand, sign and exponent, padding.
Bytes extended(uint64_t significand, uint64_t sign_exponent, uint8_t padding = 0) {
  Bytes bytes = bytes_of(std::array{significand, sign_exponent});
  std::fill(bytes.begin() + 10, bytes.end(), std::byte{padding});
  return bytes;
}

// ---- values that stay as long as they are

TEST(External32, PlainValuesTurnTheirBytes) {
  const Bytes memory = unhex("0102030405060708090a0b0c0d0e0f10");
  for (const auto& [bytes, wanted] : {std::pair{1, "0102030405060708090a0b0c0d0e0f10"},
                                      std::pair{2, "02010403060508070a090c0b0e0d100f"},
                                      std::pair{4, "04030201080706050c0b0a09100f0e0d"},
                                      std::pair{8, "0807060504030201100f0e0d0c0b0a09"},
                                      std::pair{16, "100f0e0d0c0b0a090807060504030201"}}) {
    const ItemShape shape{ValueKind::kPlain, bytes, 1, false};
    EXPECT_EQ(in_file(shape, memory), wanted);
    EXPECT_EQ(in_memory(shape, unhex(wanted)), memory);
  }
}

// ---- values that do not

TEST(External32, LongsKeepTheirLowerHalfAndTheirSign) {
  const ItemShape longs{ValueKind::kLong, 0, 1, false};
  const Bytes memory = bytes_of(std::array<int64_t, 3>{7, -2, (int64_t{1} << 40) + 5});
  EXPECT_EQ(in_file(longs, memory), "00000007fffffffe00000005");
  EXPECT_EQ(in_memory(longs, unhex("00000007fffffffe00000005")),
            bytes_of(std::array<int64_t, 3>{7, -2, 5}));
}

// U+FFFF is the last that fits; nothing is cut off behind the program's back.
TEST(External32, WideCharactersTakeTwoBytes) {
  const ItemShape wide{ValueKind::kWideChar, 0, 1, false};
  const Bytes memory = bytes_of(std::array<uint32_t, 3>{'A', 0x20ac, 0xffff});
  EXPECT_EQ(in_file(wide, memory), "004120acffff");
  EXPECT_EQ(in_memory(wide, unhex("004120acffff")), memory);
  EXPECT_EQ(in_file(wide, bytes_of(std::array<uint32_t, 2>{0x1f600, 'A'})), "refused");
}

// A short and an int without the hole of C's structure; a long of 4 bytes and an int.
TEST(External32, PairsAreTheirMembersOneAfterTheOther) {
  const ItemShape shorts{ValueKind::kPlain, 2, 1, true};
  EXPECT_EQ(shorts.memory_bytes(), 6);
  EXPECT_EQ(in_file(shorts, unhex("010203040506111213141516")), "020106050403121116151413");
  EXPECT_EQ(in_memory(shorts, unhex("020106050403121116151413")),
            unhex("010203040506111213141516"));
  const ItemShape longs{ValueKind::kLong, 0, 1, true};
  EXPECT_EQ(longs.memory_bytes(), 12);
  EXPECT_EQ(longs.file_bytes(), 8);
  EXPECT_EQ(in_file(longs, unhex("feffffffffffffff01000000")), "fffffffe00000001");
  EXPECT_EQ(in_memory(longs, unhex("fffffffe00000001")), unhex("feffffffffffffff01000000"));
}

// ---- long double

struct Known {
  uint64_t significand;
  uint64_t sign_exponent;
  const char* binary128;
};

// The last bit of a significand is bit 49 of the fraction: ...0002 and 12 zeros.
const std::array kBothWays{
    Known{0, 0, "00000000000000000000000000000000"},                      // 0
    Known{0, 0x8000, "80000000000000000000000000000000"},                 // -0
    Known{kTop, 0x3fff, "3fff0000000000000000000000000000"},              // 1
    Known{kTop | kTop >> 1, 0x3fff, "3fff8000000000000000000000000000"},  // 1.5
    Known{kTop | 1, 0xc000, "c0000000000000000002000000000000"},          // -2 and a bit
    Known{~uint64_t{0}, 0x7ffe, "7ffefffffffffffffffe000000000000"},      // the greatest
    Known{kTop, 1, "00010000000000000000000000000000"},                   // the smallest normal
    Known{kTop - 1, 0, "0000fffffffffffffffe000000000000"},               // the greatest denormal
    Known{1, 0x8000, "80000000000000000002000000000000"},                 // the smallest, negative
    Known{kTop, 0x7fff, "7fff0000000000000000000000000000"},              // infinity
    Known{kTop, 0xffff, "ffff0000000000000000000000000000"},              // -infinity
    Known{kTop | kTop >> 1, 0x7fff, "7fff8000000000000000000000000000"},  // a quiet NaN
    Known{kTop | 5, 0xffff, "ffff000000000000000a000000000000"},          // a signalling one
};

TEST(External32, LongDoublesAreBinary128BothWays) {
  for (const Known& known : kBothWays) {
    // Padding is no part of the number and must not reach the file.
    EXPECT_EQ(in_file(kLongDoubles, extended(known.significand, known.sign_exponent, 0xab)),
              known.binary128);
    EXPECT_EQ(in_memory(kLongDoubles, unhex(known.binary128)),
              extended(known.significand, known.sign_exponent))
        << known.binary128;
  }
}

// A denormal exponent with the integer bit is a number. An exponent without it is none.
TEST(External32, OddLongDoublesGetAMeaning) {
  EXPECT_EQ(in_file(kLongDoubles, extended(kTop | 1, 0)), "00010000000000000002000000000000");
  for (const uint64_t exponent : {uint64_t{1}, uint64_t{0x3fff}, uint64_t{0x7fff}}) {
    EXPECT_EQ(in_file(kLongDoubles, extended(1, exponent)), "7fff8000000000000000000000000000");
    EXPECT_EQ(in_file(kLongDoubles, extended(0, exponent | 0x8000)),
              "ffff8000000000000000000000000000");
  }
}

// What is lost lies below bit 49: a half is 0001 and 12 zeros.
TEST(External32, LongDoublesAreRoundedToNearestEven) {
  const std::array cases{
      Known{kTop, 0x3fff, "3fff0000000000000000ffffffffffff"},      // below a half
      Known{kTop, 0x3fff, "3fff0000000000000001000000000000"},      // a half, even stays
      Known{kTop | 1, 0x3fff, "3fff0000000000000001000000000001"},  // above it
      Known{kTop | 2, 0x3fff, "3fff0000000000000003000000000000"},  // a half, odd goes up
      Known{kTop, 0x4000, "3fffffffffffffffffffffffffffffff"},      // to the next power
      Known{kTop, 0x7fff, "7ffeffffffffffffffffffffffffffff"},      // to infinity
      Known{kTop, 0xffff, "fffeffffffffffffffff000000000000"},      // to -infinity
      Known{kTop, 1, "0000ffffffffffffffffffffffffffff"},           // to the smallest normal
      Known{0, 0x8000, "80000000000000000000000000000001"},         // to -0
      Known{1, 0, "00000000000000000001000000000001"},              // to the smallest
      Known{kTop | kTop >> 1, 0x7fff, "7fff0000000000000000000000000001"},  // stays a NaN
  };
  for (const Known& known : cases) {
    EXPECT_EQ(in_memory(kLongDoubles, unhex(known.binary128)),
              extended(known.significand, known.sign_exponent))
        << known.binary128;
  }
}

TEST(External32, LongDoublePairsAndComplexNumbers) {
  const ItemShape pair{ValueKind::kLongDouble, 0, 1, true};
  Bytes memory = extended(kTop | kTop >> 1, 0x3fff);
  const Bytes index = unhex("07000000");
  memory.insert(memory.end(), index.begin(), index.end());
  EXPECT_EQ(in_file(pair, memory), "3fff800000000000000000000000000000000007");
  EXPECT_EQ(in_memory(pair, unhex(in_file(pair, memory))), memory);
  const ItemShape complex{ValueKind::kLongDouble, 0, 2, false};
  EXPECT_EQ(complex.file_bytes(), 32);
  Bytes both = extended(kTop, 0x3fff);
  const Bytes imaginary = extended(kTop, 0xc000);
  both.insert(both.end(), imaginary.begin(), imaginary.end());
  EXPECT_EQ(in_file(complex, both),
            "3fff0000000000000000000000000000c0000000000000000000000000000000");
  EXPECT_EQ(in_memory(complex, unhex(in_file(complex, both))), both);
}

#if LDBL_MANT_DIG == 64 && defined(__SIZEOF_FLOAT128__)
__extension__ using Float128 = __float128;

// The compiler's own conversions are the reference, on exponents that hit every kind of number.
TEST(External32, LongDoublesAgreeWithTheCompiler) {
  std::mt19937_64 random(32);
  const ItemShape turned{ValueKind::kPlain, 16, 1, false};
  for (int i = 0; i < 20000; ++i) {
    const uint64_t exponent = i % 4 == 0   ? random() % 3
                              : i % 4 == 1 ? 0x7ffd + random() % 2
                                           : random() % 0x7fff;
    // Few bits or many: ties are rare among random ones.
    const uint64_t low = i % 3 == 0 ? random() : (random() % 8) << 47;
    const uint64_t high = (random() & 1) << 63 | exponent << 48 | random() >> 16;
    Float128 wide = 0;
    std::memcpy(&wide, std::array{low, high}.data(), sizeof wide);
    const auto narrow = static_cast<long double>(wide);
    const Bytes file = unhex(in_file(turned, bytes_of(wide)));
    long double back = 0;
    std::memcpy(&back, in_memory(kLongDoubles, file).data(), sizeof back);
    ASSERT_EQ(back, narrow) << hex(file);
    ASSERT_EQ(in_file(kLongDoubles, bytes_of(narrow)),
              in_file(turned, bytes_of(static_cast<Float128>(narrow))))
        << hex(file);
  }
}
#endif

}  // namespace
}  // namespace longshore
