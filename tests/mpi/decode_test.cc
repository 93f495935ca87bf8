// Decoded datatypes against the MPI itself: MPI_Pack and MPI_Unpack are the reference for the
// bytes, MPI_Type_size and MPI_Type_get_extent for the numbers.
#include "datatype/decode.h"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "mpi/random_type.h"

namespace longshore {
namespace {

using testing::ElementsAre;

std::vector<Piece> pieces_of(const Pattern& pattern) {
  std::vector<Piece> pieces;
  PatternWalk walk(pattern, 0, pattern.size());
  for (Piece piece; walk.next(piece);) {
    pieces.push_back(piece);
  }
  return pieces;
}

// Memory that holds a pattern, with some room around it for a wrong one.
struct Memory {
  static constexpr int64_t kMargin = 4096;
  explicit Memory(const Pattern& pattern)
      : begin(pattern.bounds().begin - kMargin),
        bytes(static_cast<size_t>(pattern.bounds().length() + 2 * kMargin)) {}
  std::byte* base() { return bytes.data() - begin; }
  int64_t begin;
  std::vector<std::byte> bytes;
};

std::vector<std::byte> packed_by_mpi(Memory& memory, const Type& type, int count) {
  std::vector<std::byte> out(static_cast<size_t>(type.size() * count) + 64);
  int position = 0;
  MPI_Pack(memory.base(), count, type.get(), out.data(), static_cast<int>(out.size()), &position,
           MPI_COMM_SELF);
  out.resize(static_cast<size_t>(position));
  return out;
}

// Where instances overlap, MPI does not say who wins.
bool overlaps(const Pattern& pattern, const Memory& memory) {
  std::vector<bool> seen(memory.bytes.size());
  for (const Piece& piece : pieces_of(pattern)) {
    for (int64_t i = 0; i < piece.length; ++i) {
      const auto at = static_cast<size_t>(piece.offset + i - memory.begin);
      if (seen[at]) {
        return true;
      }
      seen[at] = true;
    }
  }
  return false;
}

void expect_same_bytes(const Type& type, int count, const Pattern& pattern) {
  Memory memory(pattern);
  for (size_t i = 0; i < memory.bytes.size(); ++i) {
    memory.bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 11);
  }
  const std::vector<std::byte> expected = packed_by_mpi(memory, type, count);
  std::vector<std::byte> packed(static_cast<size_t>(pattern.size()));
  pattern.pack(0, packed, memory.base());
  ASSERT_EQ(packed, expected);
  if (overlaps(pattern, memory)) {
    return;
  }
  Memory by_mpi(pattern);
  Memory by_us(pattern);
  int position = 0;
  MPI_Unpack(expected.data(), static_cast<int>(expected.size()), &position, by_mpi.base(), count,
             type.get(), MPI_COMM_SELF);
  pattern.unpack(0, expected, by_us.base());
  ASSERT_EQ(by_us.bytes, by_mpi.bytes);
}

void expect_same(Type& type, int count) {
  MPI_Datatype handle = type.get();
  MPI_Type_commit(&handle);
  const auto decoded = decode(type.get());
  ASSERT_TRUE(decoded.has_value()) << decoded.error().detail;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Type_get_extent_x(type.get(), &lower, &extent);
  EXPECT_EQ(decoded->size_bytes, type.size());
  EXPECT_EQ(decoded->size_bytes, decoded->pattern.size());
  EXPECT_EQ(decoded->lower_bound, lower);
  EXPECT_EQ(decoded->extent_bytes, extent);
  if (!testing::Test::HasFailure()) {
    expect_same_bytes(type, count, decoded->instances(count));
  }
}

uint64_t seed_of_run() {
  if (const char* given = std::getenv("LONGSHORE_TEST_SEED")) {
    return std::strtoull(given, nullptr, 10);
  }
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// 2,400 types a run, dealt out to the ranks. Rerun one with LONGSHORE_TEST_SEED=<seed> and one
// rank.
TEST(Decode, RandomTypesAgreeWithMpi) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t seed = seed_of_run();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  }
  for (int i = rank; i < 2400; i += ranks) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", type " + std::to_string(i));
    TypeSource source(seed + static_cast<uint64_t>(i));
    Type type = source.any(static_cast<int>(source.draw(1, 4)));
    expect_same(type, static_cast<int>(source.draw(1, 4)));
    if (testing::Test::HasFailure()) {
      FAIL() << describe(type.get());
    }
  }
}

// ---- single cases

// vector(3, 2, 4) of doubles: three blocks of 16 bytes, 32 apart; the extent ends with the last
// block: (2 * 4 + 2) * 8 = 80.
TEST(Decode, VectorIsTwoNodes) {
  const Type type = made([](auto* out) { MPI_Type_vector(3, 2, 4, MPI_DOUBLE, out); });
  const auto decoded = decode(type.get());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->pattern, Pattern::repeat(3, 32, Pattern::run(16)));
  EXPECT_EQ(decoded->extent_bytes, 80);
}

// A short at 0 and an int at 4: two bytes between them are a hole, and four behind a double's int.
TEST(Decode, PairTypesHaveHoles) {
  const auto short_int = decode(MPI_SHORT_INT);
  ASSERT_TRUE(short_int.has_value());
  EXPECT_THAT(pieces_of(short_int->instances(2)),
              ElementsAre(Piece{0, 2}, Piece{4, 4 + 2}, Piece{12, 4}));
  const auto double_int = decode(MPI_DOUBLE_INT);
  ASSERT_TRUE(double_int.has_value());
  EXPECT_THAT(pieces_of(double_int->instances(2)), ElementsAre(Piece{0, 12}, Piece{16, 12}));
}

TEST(Decode, RefusesNull) {
  const auto decoded = decode(MPI_DATATYPE_NULL);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorClass::kType);
}

TEST(Decode, EmptyTypesHaveNoPieces) {
  const Type none = made([](auto* out) { MPI_Type_contiguous(0, MPI_INT, out); });
  const Type fields =
      made([](auto* out) { MPI_Type_create_struct(0, nullptr, nullptr, nullptr, out); });
  for (const Type* type : {&none, &fields}) {
    const auto decoded = decode(type->get());
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->pattern, Pattern());
    EXPECT_EQ(decoded->instances(5).size(), 0);
  }
}

// 2^30 blocks of one double, 24 bytes apart: 2^33 bytes of data in 24 * 2^30 - 16 bytes.
TEST(Decode, SizesBeyond31Bits) {
  const int count = 1 << 30;
  const Type type = made([&](auto* out) { MPI_Type_vector(count, 1, 3, MPI_DOUBLE, out); });
  const auto decoded = decode(type.get());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->size_bytes, int64_t{1} << 33);
  EXPECT_EQ(decoded->extent_bytes, (int64_t{24} << 30) - 16);
  EXPECT_EQ(decoded->pattern.offset_at((int64_t{1} << 33) - 1), (int64_t{24} << 30) - 17);
}

#if MPI_VERSION >= 4
TEST(Decode, LargeCountsBeyond31Bits) {
  const MPI_Count count = 5'000'000'000;
  const Type type = made([&](auto* out) { MPI_Type_contiguous_c(count, MPI_SHORT, out); });
  const auto decoded = decode(type.get());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->pattern, Pattern::run(10'000'000'000));
}
#endif

// An address stands for itself with a null base.
TEST(Decode, AbsoluteAddressesWithBottom) {
  std::array<int, 4> values{11, 22, 33, 44};
  MPI_Aint address = 0;
  MPI_Get_address(&values[2], &address);
  const Type type =
      made([&](auto* out) { MPI_Type_create_hindexed_block(1, 2, &address, MPI_INT, out); });
  const auto decoded = decode(type.get());
  ASSERT_TRUE(decoded.has_value());
  std::array<int, 2> packed{};
  decoded->pattern.pack(0, std::as_writable_bytes(std::span(packed)), nullptr);
  EXPECT_THAT(packed, ElementsAre(33, 44));
}

#if defined(MPICH_VERSION)
// MPI-1's markers move the bounds and add no bytes: [-8, 20) around an int.
TEST(Decode, MarkersOfMpi1) {
  const std::array<int, 3> lengths{1, 1, 1};
  const std::array<MPI_Aint, 3> places{-8, 0, 20};
  const std::array<MPI_Datatype, 3> types{MPI_LB, MPI_INT, MPI_UB};
  const Type type = made([&](auto* out) {
    MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), out);
  });
  const auto native = decode(type.get());
  const auto in_file = decode_in_file(type.get(), external32_size);
  for (const auto* decoded : {&native, &in_file}) {
    ASSERT_TRUE(decoded->has_value());
    EXPECT_EQ((*decoded)->pattern, Pattern::run(4));
    EXPECT_EQ((*decoded)->lower_bound, -8);
    EXPECT_EQ((*decoded)->extent_bytes, 28);
  }
}
#endif

// ---- the cache on the handles

TEST(DecodeCache, SecondDecodeSharesTheTree) {
  const Type type = made([](auto* out) { MPI_Type_vector(3, 2, 4, MPI_DOUBLE, out); });
  const auto first = decode(type.get());
  const auto second = decode(type.get());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->pattern.root(), second->pattern.root());
}

TEST(DecodeCache, DuplicateIsDecodedAnew) {
  const Type type = made([](auto* out) { MPI_Type_vector(3, 2, 4, MPI_DOUBLE, out); });
  const auto first = decode(type.get());
  const Type copy = made([&](auto* out) { MPI_Type_dup(type.get(), out); });
  const auto second = decode(copy.get());
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->pattern.root(), second->pattern.root());
  EXPECT_EQ(first->pattern, second->pattern);
}

// MPI gives freed handles out again; what was stored must have gone with the old type.
TEST(DecodeCache, SurvivesHandleReuse) {
  std::vector<Pattern> kept;
  for (int i = 2; i < 200; ++i) {
    const Type type = made([&](auto* out) { MPI_Type_vector(i, 1, 2, MPI_BYTE, out); });
    const auto decoded = decode(type.get());
    ASSERT_TRUE(decoded.has_value());
    ASSERT_EQ(decoded->size_bytes, i);
    kept.push_back(decoded->pattern);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i], Pattern::repeat(static_cast<int64_t>(i) + 2, 2, Pattern::run(1)));
  }
}

TEST(DecodeCache, ThreadsMayDecodeOneType) {
  for (int round = 0; round < 50; ++round) {
    const Type type = made([](auto* out) { MPI_Type_vector(3, 2, 4, MPI_DOUBLE, out); });
    std::array<bool, 4> good{};
    std::vector<std::thread> threads;
    for (bool& mine : good) {
      threads.emplace_back([&mine, &type] {
        const auto decoded = decode(type.get());
        mine = decoded && decoded->pattern == Pattern::repeat(3, 32, Pattern::run(16));
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_THAT(good, testing::Each(true));
  }
}

// ---- in a file data representation

// Longs of 4 bytes, all else as in external32.
int64_t short_longs(MPI_Datatype named) { return named == MPI_LONG ? 4 : external32_size(named); }

// Strides that count in elements shrink with them: blocks of 8 bytes, 16 apart, extent
// (2 * 4 + 2) * 4 = 40. Byte strides stay: 4 bytes at 0 and 100.
TEST(DecodeInFile, ScalesElementsNotBytes) {
  const Type vector = made([](auto* out) { MPI_Type_vector(3, 2, 4, MPI_LONG, out); });
  const auto scaled = decode_in_file(vector.get(), short_longs);
  ASSERT_TRUE(scaled.has_value());
  EXPECT_EQ(scaled->pattern, Pattern::repeat(3, 16, Pattern::run(8)));
  EXPECT_EQ(scaled->extent_bytes, 40);
  const Type bytes = made([](auto* out) { MPI_Type_create_hvector(2, 1, 100, MPI_LONG, out); });
  const auto kept = decode_in_file(bytes.get(), short_longs);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->pattern, Pattern::repeat(2, 100, Pattern::run(4)));
  EXPECT_EQ(kept->extent_bytes, 104);
}

// Columns 1 and 2 of a row of 4 longs: bytes [4, 12) of 16.
TEST(DecodeInFile, ScalesArrays) {
  const int size = 4;
  const int subsize = 2;
  const int start = 1;
  const Type type = made([&](auto* out) {
    MPI_Type_create_subarray(1, &size, &subsize, &start, MPI_ORDER_C, MPI_LONG, out);
  });
  const auto decoded = decode_in_file(type.get(), short_longs);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->pattern, Pattern::run(8).shifted(4));
  EXPECT_EQ(decoded->lower_bound, 0);
  EXPECT_EQ(decoded->extent_bytes, 16);
}

// A struct of a resized long (its upper bound 16 is explicit) and a char at 20: the explicit bound
// wins although the char lies behind it. Without the resizing the extent is 21, without padding.
TEST(DecodeInFile, ExplicitBoundsWin) {
  const Type resized = made([](auto* out) { MPI_Type_create_resized(MPI_LONG, 0, 16, out); });
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{0, 20};
  for (const bool explicit_bound : {true, false}) {
    const std::array<MPI_Datatype, 2> types{explicit_bound ? resized.get() : MPI_LONG, MPI_CHAR};
    const Type type = made([&](auto* out) {
      MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), out);
    });
    const auto decoded = decode_in_file(type.get(), short_longs);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_THAT(pieces_of(decoded->pattern), ElementsAre(Piece{0, 4}, Piece{20, 1}));
    EXPECT_EQ(decoded->extent_bytes, explicit_bound ? 16 : 21);
  }
}

TEST(DecodeInFile, RefusesWhatTheRepresentationLacks) {
  const Type type = made([](auto* out) { MPI_Type_contiguous(3, MPI_LONG, out); });
  const auto decoded = decode_in_file(type.get(), [](MPI_Datatype) { return int64_t{-1}; });
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorClass::kConversion);
}

// The file size of a type is what MPI_Pack_external really makes of it.
TEST(DecodeInFile, External32AgreesWithPackExternal) {
  for (MPI_Datatype named :
       {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_FLOAT,
        MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX}) {
    const Type type = made([&](auto* out) {
      MPI_Type_vector(3, 2, 5, named, out);
      MPI_Type_commit(out);
    });
    std::array<char, 1024> from{};
    std::array<char, 1024> to{};
    MPI_Aint packed_bytes = 0;
    MPI_Pack_external("external32", from.data(), 1, type.get(), to.data(), to.size(),
                      &packed_bytes);
    const auto decoded = decode_in_file(type.get(), external32_size);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->size_bytes, packed_bytes);
  }
}

}  // namespace
}  // namespace longshore
