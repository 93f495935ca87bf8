#include <gmock/gmock.h>

#include "datatype/pattern.h"

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

// Each tile: 4 bytes at 0 and 4 at 8, of 20; the view starts at 100.
TiledPattern example() { return {100, 20, Pattern::repeat(2, 8, Pattern::run(4))}; }

TEST(TiledPattern, PlainFileIsDense) {
  const TiledPattern plain;
  EXPECT_TRUE(plain.dense());
  EXPECT_EQ(plain.offset_at(1'000'000'000'000), 1'000'000'000'000);
  EXPECT_EQ(plain.position_of(77), 77);
  EXPECT_EQ(plain.slice(10, 1'000'000'000'010), Pattern::run(1'000'000'000'000).shifted(10));
  EXPECT_FALSE(example().dense());
  EXPECT_TRUE(TiledPattern(512, 8, Pattern::run(8)).dense());
  EXPECT_FALSE(TiledPattern(512, 16, Pattern::run(8)).dense());
}

// Position 19 is byte 3 of tile 2: 100 + 2 * 20 + 3 = 143.
TEST(TiledPattern, MapsBothWays) {
  const TiledPattern view = example();
  EXPECT_EQ(view.offset_at(19), 143);
  EXPECT_EQ(view.position_of(143), 19);
  EXPECT_EQ(view.position_of(0), 0);
  EXPECT_EQ(view.position_of(105), 4);  // the gap [104, 108)
  EXPECT_EQ(view.position_of(115), 8);  // the gap behind tile 0: tile 1
  EXPECT_EQ(view.position_of(120), 8);
  EXPECT_EQ(view.hull_of(2, 13), (Extent{102, 129}));  // to byte 4 of tile 1, at 120 + 8
  EXPECT_EQ(view.hull_of(5, 5), (Extent{0, 0}));
}

TEST(TiledPattern, SliceCutsTilesAtBothEnds) {
  EXPECT_THAT(
      pieces_of(example().slice(2, 18)),
      ElementsAre(Piece{102, 2}, Piece{108, 4}, Piece{120, 4}, Piece{128, 4}, Piece{140, 2}));
  EXPECT_THAT(pieces_of(example().slice(9, 11)), ElementsAre(Piece{121, 2}));
}

// 10^12 tiles: the slice is a head, a repeat and a tail.
TEST(TiledPattern, SliceOfHugeRangesStaysSmall) {
  const TiledPattern view(0, 1 << 20, Pattern::repeat(100, 1000, Pattern::run(10)));
  const Pattern slice = view.slice(5, 1'000'000'000'000);
  EXPECT_EQ(slice.size(), 999'999'999'995);
  EXPECT_LT(slice.serialize().size(), 100u);
  EXPECT_TRUE(slice.monotone());
  EXPECT_EQ(slice.offset_at(0), 5);
  EXPECT_EQ(slice.offset_at(999'999'999'994), view.offset_at(999'999'999'999));
}

// Two pieces that overlap: legal to read. Bytes 0..7 and 4..11 of tiles 16 apart.
TEST(TiledPattern, OverlappingViewsForReading) {
  const TiledPattern view(0, 16, Pattern::repeat(2, 4, Pattern::run(8)));
  EXPECT_TRUE(view.tile().ordered());
  EXPECT_FALSE(view.tile().monotone());
  EXPECT_EQ(view.hull_of(6, 10), (Extent{4, 8}));  // bytes 6 7 4 5
  EXPECT_EQ(view.offset_at(24), 20);
}

TEST(TiledPattern, EmptyTileHasNoPositions) {
  const TiledPattern view(10, 20, Pattern());
  EXPECT_EQ(view.slice(0, 0), Pattern());
  EXPECT_EQ(view.hull_of(0, 0), (Extent{0, 0}));
}

TEST(TiledPattern, ImageComesBack) {
  const TiledPattern view = example();
  const auto back = TiledPattern::deserialize(view.serialize());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, view);
  EXPECT_EQ(back->fingerprint(), view.fingerprint());
  EXPECT_NE(TiledPattern(101, 20, view.tile()).fingerprint(), view.fingerprint());
  auto longer = view.serialize();
  longer.push_back(std::byte{0});
  EXPECT_FALSE(TiledPattern::deserialize(longer).has_value());
  EXPECT_FALSE(TiledPattern::deserialize({}).has_value());
}

}  // namespace
}  // namespace longshore
