#include <algorithm>
#include <cassert>
#include <utility>

#include "datatype/pattern_bytes.h"
#include "datatype/pattern_node.h"

namespace longshore {

TiledPattern::TiledPattern() {
  static const Pattern* byte = new Pattern(Pattern::run(1));
  tile_ = *byte;
}

TiledPattern::TiledPattern(int64_t origin, int64_t tile_extent, Pattern tile)
    : origin_(origin), tile_extent_(tile_extent), tile_(std::move(tile)) {}

bool TiledPattern::dense() const { return tile_.contiguous() && tile_.size() == tile_extent_; }

int64_t TiledPattern::offset_at(int64_t position) const {
  assert(tile_.size() > 0 && position >= 0);
  const int64_t index = position / tile_.size();
  const int64_t within = tile_.offset_at(position % tile_.size());
  return add_bytes(add_bytes(multiply_bytes(index, tile_extent_), within), origin_);
}

// The tile that `offset` falls into is found by division; in its gap behind the last byte the
// answer is the next tile's first position, which is the same number.
int64_t TiledPattern::position_of(int64_t offset) const {
  assert(tile_.size() > 0);
  const int64_t at = add_bytes(offset, -origin_);
  const int64_t into = add_bytes(at, -tile_.bounds().begin);
  if (into <= 0) {
    return 0;
  }
  const int64_t index = tile_extent_ > 0 ? into / tile_extent_ : 0;
  const int64_t within = tile_.position_of(at - index * tile_extent_);
  return add_bytes(multiply_bytes(index, tile_.size()), within);
}

Extent TiledPattern::hull_of(int64_t first, int64_t last) const {
  if (first >= last || tile_.size() == 0) {
    return {};
  }
  if (!tile_.monotone()) {
    return slice(first, last).bounds();
  }
  return {offset_at(first), offset_at(last - 1) + 1};
}

Pattern TiledPattern::slice(int64_t first, int64_t last) const {
  const int64_t size = tile_.size();
  if (first >= last || size == 0) {
    return {};
  }
  const int64_t from = first / size;
  const int64_t final = (last - 1) / size;
  const auto tile_at = [&](int64_t i) {
    return add_bytes(origin_, multiply_bytes(i, tile_extent_));
  };
  if (from == final) {
    return tile_.slice(first - from * size, last - from * size).shifted(tile_at(from));
  }
  const int64_t whole_from = first == from * size ? from : from + 1;
  const int64_t whole_to = last - final * size == size ? final + 1 : final;
  const Pattern head = whole_from > from ? tile_.slice(first - from * size, size) : Pattern();
  const Pattern body = Pattern::repeat(whole_to - whole_from, tile_extent_, tile_);
  const Pattern tail = whole_to == final ? tile_.slice(0, last - final * size) : Pattern();
  return Pattern::sequence({tile_at(from), tile_at(whole_from), tile_at(final)},
                           {head, body, tail});
}

std::vector<std::byte> TiledPattern::serialize() const {
  ByteWriter writer;
  writer.signed_number(origin_);
  writer.signed_number(tile_extent_);
  write_pattern(writer, tile_);
  return writer.take();
}

Result<TiledPattern> TiledPattern::deserialize(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const int64_t origin = reader.signed_number();
  const int64_t tile_extent = reader.signed_number();
  auto tile = read_pattern(reader);
  if (!tile) {
    return fail(tile.error());
  }
  if (!reader.at_end()) {
    return fail(ErrorClass::kInvalidArgument, "tiled pattern: bytes behind the end");
  }
  return TiledPattern(origin, tile_extent, std::move(*tile));
}

uint64_t TiledPattern::fingerprint() const {
  return mix(mix(tile_.fingerprint(), static_cast<uint64_t>(origin_)),
             static_cast<uint64_t>(tile_extent_));
}

bool operator==(const TiledPattern& a, const TiledPattern& b) {
  return a.origin_ == b.origin_ && a.tile_extent_ == b.tile_extent_ && a.tile_ == b.tile_;
}

}  // namespace longshore
