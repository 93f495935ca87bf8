#include "datatype/pattern.h"

#include <gmock/gmock.h>

#include <array>
#include <numeric>

namespace longshore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Piece> pieces_of(const Pattern& pattern, int64_t first, int64_t last) {
  std::vector<Piece> pieces;
  PatternWalk walk(pattern, first, last);
  for (Piece piece; walk.next(piece);) {
    pieces.push_back(piece);
  }
  return pieces;
}
std::vector<Piece> pieces_of(const Pattern& pattern) {
  return pieces_of(pattern, 0, pattern.size());
}

// The header's example: vector(3, 2, 4) of doubles.
Pattern example() { return Pattern::repeat(3, 32, Pattern::run(16)); }

// ---- normal form

TEST(PatternBuild, ContiguousIsOneRunHoweverBuilt) {
  const Pattern run = Pattern::run(48);
  // 6 x 8 bytes at stride 8; 2 x (3 x 8) nested; three blocks listed; two halves in sequence.
  EXPECT_EQ(Pattern::repeat(6, 8, Pattern::run(8)), run);
  EXPECT_EQ(Pattern::repeat(2, 24, Pattern::repeat(3, 8, Pattern::run(8))), run);
  EXPECT_EQ(Pattern::at_offsets({0, 16, 32}, Pattern::run(16)), run);
  EXPECT_EQ(Pattern::sequence({0, 40}, {Pattern::run(40), Pattern::run(8)}), run);
  EXPECT_EQ(Pattern::of_pieces(std::array{Piece{0, 1}, Piece{1, 47}}), run);
  // Two combs that fill each other's gaps in stream order: (0,4)(4,4) | (8,4)(12,4) ...
  const Pattern pair = Pattern::sequence({0, 4}, {Pattern::run(4), Pattern::run(4)});
  EXPECT_EQ(Pattern::repeat(6, 8, pair), run);
  EXPECT_TRUE(run.contiguous());
}

TEST(PatternBuild, NestedStridesThatCarryOnAreOne) {
  // Rows of 4 blocks 10 apart, rows 40 apart: 12 blocks 10 apart.
  const Pattern row = Pattern::repeat(4, 10, Pattern::run(2));
  EXPECT_EQ(Pattern::repeat(3, 40, row), Pattern::repeat(12, 10, Pattern::run(2)));
  EXPECT_EQ(Pattern::at_offsets({7, 17, 27}, Pattern::run(2)),
            Pattern::repeat(3, 10, Pattern::run(2)).shifted(7));
  // Two blocks, then one, then three of the same comb.
  const Pattern block = Pattern::run(2);
  EXPECT_EQ(Pattern::sequence(
                {0, 20, 30}, {Pattern::repeat(2, 10, block), block, Pattern::repeat(3, 10, block)}),
            Pattern::repeat(6, 10, block));
}

// Two combs of one block but different strides, the second where the first would carry on.
TEST(PatternBuild, DifferentStridesStayApart) {
  const Pattern block = Pattern::run(2);
  const Pattern both =
      Pattern::sequence({0, 20}, {Pattern::repeat(2, 10, block), Pattern::repeat(2, 12, block)});
  EXPECT_THAT(pieces_of(both), ElementsAre(Piece{0, 2}, Piece{10, 2}, Piece{20, 2}, Piece{32, 2}));
}

TEST(PatternBuild, EmptyPartsVanish) {
  EXPECT_EQ(Pattern::repeat(0, 8, Pattern::run(8)), Pattern());
  EXPECT_EQ(Pattern::repeat(5, 8, Pattern::run(0)), Pattern());
  EXPECT_EQ(Pattern::at_offsets({}, Pattern::run(8)), Pattern());
  EXPECT_EQ(Pattern::sequence({0, 100}, {Pattern(), Pattern::run(8)}),
            Pattern::run(8).shifted(100));
  EXPECT_EQ(Pattern::of_pieces(std::array{Piece{5, 0}}), Pattern());
  EXPECT_EQ(Pattern().bounds(), (Extent{0, 0}));
  EXPECT_THAT(pieces_of(Pattern()), IsEmpty());
}

TEST(PatternBuild, EqualFieldsBecomeAList) {
  const Pattern row = Pattern::repeat(4, 10, Pattern::run(2));
  EXPECT_EQ(Pattern::sequence({0, 100, 300}, {row, row, row}),
            Pattern::at_offsets({0, 100, 300}, row));
}

// ---- what a pattern knows

TEST(Pattern, WorkedExampleOfTheHeader) {
  const Pattern pattern = example();
  EXPECT_THAT(pieces_of(pattern), ElementsAre(Piece{0, 16}, Piece{32, 16}, Piece{64, 16}));
  EXPECT_EQ(pattern.size(), 48);
  EXPECT_EQ(pattern.bounds(), (Extent{0, 80}));
  EXPECT_EQ(pattern.offset_at(20), 36);  // 20 = 16 + 4: byte 4 of the block at 32
  EXPECT_EQ(pattern.position_of(40), 24);
  EXPECT_EQ(pattern.position_of(70), 38);
  EXPECT_EQ(pattern.position_of(50), 32);  // in the gap [48, 64): the next block
  EXPECT_EQ(pattern.position_of(80), 48);
  EXPECT_EQ(pattern.position_of(-5), 0);
}

TEST(Pattern, OrderIsKnownWithoutEnumerating) {
  EXPECT_TRUE(example().monotone());
  // Blocks of 16 bytes 8 apart overlap but never fall.
  const Pattern overlapping = Pattern::repeat(3, 8, Pattern::run(16));
  EXPECT_FALSE(overlapping.monotone());
  EXPECT_TRUE(overlapping.ordered());
  EXPECT_FALSE(Pattern::repeat(3, -32, Pattern::run(16)).ordered());
  // Pieces (0,4) (8,4) are 8 bytes in a hull of 12: 8 apart, the next (8,4) comes twice.
  const Pattern pair = Pattern::of_pieces(std::array{Piece{0, 4}, Piece{8, 4}});
  EXPECT_FALSE(Pattern::repeat(2, 8, pair).monotone());
  EXPECT_TRUE(Pattern::repeat(2, 12, pair).monotone());
  // A comb laid into its own gaps: offsets 0 32 64, 16 48 80.
  const Pattern interleaved = Pattern::repeat(2, 16, example());
  EXPECT_FALSE(interleaved.ordered());
}

// 10^9 x 10^3 blocks of one byte: 10^12 pieces in three nodes, hull (10^9 - 1) * 4000 + 1999.
TEST(Pattern, CountsBeyond31Bits) {
  const Pattern pattern =
      Pattern::repeat(1'000'000'000, 4000, Pattern::repeat(1000, 2, Pattern::run(1)));
  EXPECT_EQ(pattern.size(), 1'000'000'000'000);
  EXPECT_EQ(pattern.pieces(), 1'000'000'000'000);
  EXPECT_EQ(pattern.bounds(), (Extent{0, 3'999'999'996'000 + 1999}));
  EXPECT_TRUE(pattern.monotone());
  EXPECT_EQ(pattern.offset_at(999'999'999'999), 3'999'999'996'000 + 1998);
  EXPECT_EQ(pattern.position_of(4000 * int64_t{500'000'000}), 500'000'000'000);
  EXPECT_THAT(pieces_of(pattern, 999'999'999'998, 1'000'000'000'000),
              ElementsAre(Piece{3'999'999'997'996, 1}, Piece{3'999'999'997'998, 1}));
}

TEST(Pattern, SumsThatDoNotFitAreClamped) {
  const Pattern huge = Pattern::repeat(int64_t{1} << 40, int64_t{1} << 40, Pattern::run(1 << 30));
  EXPECT_EQ(huge.size(), Pattern::kMaxBytes);
  EXPECT_EQ(huge.bounds().end, Pattern::kMaxBytes);
}

// ---- walking

TEST(PatternWalk, CutsBothEnds) {
  EXPECT_THAT(pieces_of(example(), 4, 34), ElementsAre(Piece{4, 12}, Piece{32, 16}, Piece{64, 2}));
  EXPECT_THAT(pieces_of(example(), 18, 20), ElementsAre(Piece{34, 2}));
  EXPECT_THAT(pieces_of(example(), 48, 48), IsEmpty());
}

TEST(PatternWalk, TellsPositions) {
  PatternWalk walk(example(), 4, 34);
  Piece piece;
  EXPECT_EQ(walk.position(), 4);
  ASSERT_TRUE(walk.next(piece));
  EXPECT_EQ(walk.position(), 16);
  ASSERT_TRUE(walk.next(piece));
  EXPECT_EQ(walk.position(), 32);
  ASSERT_TRUE(walk.next(piece));
  EXPECT_EQ(walk.position(), 34);
  EXPECT_FALSE(walk.next(piece));
}

// Instances 12 apart of pieces (0,4) and (8,4): the second adjoins the next instance's first.
TEST(PatternWalk, JoinsAcrossInstances) {
  const Pattern pair = Pattern::of_pieces(std::array{Piece{0, 4}, Piece{8, 4}});
  EXPECT_THAT(pieces_of(Pattern::repeat(3, 12, pair)),
              ElementsAre(Piece{0, 4}, Piece{8, 8}, Piece{20, 8}, Piece{32, 4}));
}

TEST(PatternWalk, OutlivesThePattern) {
  auto pattern = std::make_unique<Pattern>(example());
  PatternWalk walk(*pattern, 0, 48);
  pattern.reset();
  PatternWalk moved = std::move(walk);
  Piece piece;
  ASSERT_TRUE(moved.next(piece));
  EXPECT_EQ(piece, (Piece{0, 16}));
}

// ---- slices

TEST(PatternSlice, CutsBothEndsAndKeepsTheMiddle) {
  // 5 blocks of 16 bytes 32 apart, without the first 4 and the last 6 bytes.
  const Pattern slice = Pattern::repeat(5, 32, Pattern::run(16)).slice(4, 74);
  EXPECT_THAT(pieces_of(slice), ElementsAre(Piece{4, 12}, Piece{32, 16}, Piece{64, 16},
                                            Piece{96, 16}, Piece{128, 10}));
  EXPECT_LE(slice.serialize().size(), 24u);
}

TEST(PatternSlice, WholeBlocksAreARepeat) {
  const Pattern pattern = Pattern::repeat(100, 32, Pattern::run(16));
  EXPECT_EQ(pattern.slice(160, 1600), Pattern::repeat(90, 32, Pattern::run(16)).shifted(320));
}

// ---- pack and unpack

std::vector<std::byte> numbered(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(i);
  }
  return bytes;
}

TEST(PatternCopy, PacksAndUnpacksTheExample) {
  const std::vector<std::byte> memory = numbered(80);
  std::vector<std::byte> stream(48);
  example().pack(0, stream, memory.data());
  for (int64_t i = 0; i < 48; ++i) {
    EXPECT_EQ(static_cast<int64_t>(stream[static_cast<size_t>(i)]), i / 16 * 32 + i % 16);
  }
  std::vector<std::byte> back(80);
  example().unpack(0, stream, back.data());
  for (size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(back[i], i % 32 < 16 ? memory[i] : std::byte{0});
  }
}

// Every piece length with a loop of its own, and its neighbours; gaps must stay untouched.
TEST(PatternCopy, EveryPieceLength) {
  const std::vector<std::byte> memory = numbered(8000);
  for (int64_t length = 1; length <= 600; ++length) {
    const int64_t stride = length + 7;
    const Pattern pattern = Pattern::repeat(12, stride, Pattern::run(length)).shifted(3);
    std::vector<std::byte> stream(static_cast<size_t>(12 * length));
    pattern.pack(0, stream, memory.data());
    std::vector<std::byte> back(memory.size());
    pattern.unpack(0, stream, back.data());
    for (int64_t i = 0; i < 8000; ++i) {
      const int64_t at = i - 3;
      const bool inside = at >= 0 && at < 12 * stride && at % stride < length;
      const auto index = static_cast<size_t>(i);
      ASSERT_EQ(back[index], inside ? memory[index] : std::byte{0}) << length << " at " << i;
    }
  }
}

TEST(PatternCopy, ZeroStrideRepeatsAndLastWriteWins) {
  const std::vector<std::byte> memory = numbered(4);
  const Pattern pattern = Pattern::repeat(3, 0, Pattern::run(4));
  std::vector<std::byte> stream(12);
  pattern.pack(0, stream, memory.data());
  EXPECT_TRUE(std::equal(memory.begin(), memory.end(), stream.begin() + 8));
  std::vector<std::byte> back(4);
  const std::vector<std::byte> input = numbered(12);
  pattern.unpack(0, input, back.data());
  EXPECT_TRUE(std::equal(back.begin(), back.end(), input.begin() + 8));
}

// Six instances of pieces (0,4) and (8,4), 4 bytes apart: bytes 8 to 23 are written twice, last by
// the first piece of the instance that starts there.
TEST(PatternCopy, LastWriteWinsAmongOverlappingStructs) {
  const Pattern pair = Pattern::of_pieces(std::array{Piece{0, 4}, Piece{8, 4}});
  const Pattern pattern = Pattern::repeat(6, 4, pair);
  const std::vector<std::byte> input = numbered(48);
  std::vector<std::byte> expected(32);
  for (size_t i = 0; i < 48; ++i) {
    expected[static_cast<size_t>(pattern.offset_at(static_cast<int64_t>(i)))] = input[i];
  }
  std::vector<std::byte> memory(32);
  pattern.unpack(0, input, memory.data());
  EXPECT_EQ(memory, expected);
}

TEST(PatternCopy, NothingToCopyTouchesNothing) {
  Pattern().pack(0, {}, nullptr);
  Pattern().unpack(0, {}, nullptr);
  example().pack(48, {}, nullptr);
}

// ---- the byte image

// shift 0, 2 nodes; run 16; repeat, count 3, stride 32 (zigzag 64 = 0x40), child one back.
TEST(PatternBytes, ImageIsSmallAndFixed) {
  std::vector<int> image;
  for (const std::byte byte : example().serialize()) {
    image.push_back(static_cast<int>(byte));
  }
  EXPECT_THAT(image, ElementsAre(0, 2, 0, 16, 1, 3, 0x40, 1));
}

std::vector<std::byte> bytes_of(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) {
    bytes.push_back(static_cast<std::byte>(number));
  }
  return bytes;
}

TEST(PatternBytes, RefusesWhatSerializeDidNotMake) {
  const std::vector<std::vector<std::byte>> images{
      bytes_of({}),
      bytes_of({0}),
      bytes_of({0, 2, 0, 16, 1, 3, 0x40}),                   // cut off
      bytes_of({0, 2, 0, 16, 1, 3, 0x40, 1, 0}),             // a byte too many
      bytes_of({0, 2, 0, 16, 1, 3, 0x40, 2}),                // child before the first node
      bytes_of({0, 2, 0, 16, 1, 3, 0x40, 0}),                // its own child
      bytes_of({0, 1, 7, 16}),                               // no such kind
      bytes_of({0, 1, 0, 0}),                                // a run of nothing
      bytes_of({0, 0x7f, 0, 1}),                             // more nodes than bytes
      bytes_of({0, 2, 0, 1, 2, 0xff, 0xff, 0xff, 0x7f, 1}),  // 2^28 offsets in no bytes
      bytes_of({0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}),  // 2^63 - 1 bytes
      bytes_of({0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}),
  };
  for (const auto& image : images) {
    const auto pattern = Pattern::deserialize(image);
    ASSERT_FALSE(pattern.has_value());
    EXPECT_EQ(pattern.error().code, ErrorClass::kInvalidArgument);
  }
}

// A chain of 300 repeats of two: 2^300 bytes, and too deep.
TEST(PatternBytes, RefusesTooDeepTrees) {
  std::vector<std::byte> image = bytes_of({0, 0xad, 0x02, 0, 1});  // 301 nodes, a run of 1
  for (int i = 0; i < 300; ++i) {
    const auto node = bytes_of({1, 2, 0, 1});  // stride 0: the hull stays
    image.insert(image.end(), node.begin(), node.end());
  }
  EXPECT_FALSE(Pattern::deserialize(image).has_value());
}

}  // namespace
}  // namespace longshore
