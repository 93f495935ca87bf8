// Random trees against a reference that lists the offset of every stream byte.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "datatype/pattern.h"

namespace longshore {
namespace {

// A pattern and the offset of each of its stream bytes.
struct Model {
  Pattern pattern;
  std::vector<int64_t> bytes;
};

constexpr size_t kMaxModelBytes = 3000;

// Copies of `child` at each offset.
Model placed(const Model& child, const std::vector<int64_t>& offsets) {
  Model model;
  for (const int64_t offset : offsets) {
    for (const int64_t byte : child.bytes) {
      model.bytes.push_back(offset + byte);
    }
  }
  return model;
}

// Uniform from the first case on, not growing with rapidcheck's size.
int64_t draw(int64_t low, int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<int64_t>(low, high + 1));
}

// Strides that often adjoin, overlap, stand still or run backwards. `rising` gives a stride that
// keeps a monotone child monotone.
int64_t draw_stride(const Pattern& child, bool rising) {
  const int64_t length = child.bounds().length();
  if (rising) {
    return length + draw(0, 3) * draw(0, 9);
  }
  switch (draw(0, 4)) {
    case 0: return length;
    case 1: return child.size();
    case 2: return -length;
    case 3: return 0;
    default: return draw(-40, 60);
  }
}

Model draw_model(int depth, bool rising);

Model draw_repeat(int depth, bool rising) {
  const Model child = draw_model(depth - 1, rising);
  const int64_t count = draw(0, 5);
  const int64_t stride = draw_stride(child.pattern, rising);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i) {
    offsets.push_back(i * stride);
  }
  Model model = placed(child, offsets);
  model.pattern = Pattern::repeat(count, stride, child.pattern);
  return model;
}

Model draw_offsets(int depth, bool rising) {
  const Model child = draw_model(depth - 1, rising);
  const int64_t count = draw(0, 5);
  std::vector<int64_t> offsets;
  int64_t at = draw(-20, 20);
  for (int64_t i = 0; i < count; ++i) {
    offsets.push_back(at);
    at += draw_stride(child.pattern, rising);
  }
  Model model = placed(child, offsets);
  model.pattern = Pattern::at_offsets(offsets, child.pattern);
  return model;
}

Model draw_sequence(int depth, bool rising) {
  const int64_t count = draw(0, 4);
  Model model;
  std::vector<int64_t> offsets;
  std::vector<Pattern> children;
  int64_t at = draw(-20, 20);
  for (int64_t i = 0; i < count; ++i) {
    const Model child = draw_model(depth - 1, rising);
    const Extent bounds = child.pattern.bounds();
    at = rising ? at - bounds.begin : at;
    offsets.push_back(at);
    children.push_back(child.pattern);
    for (const int64_t byte : child.bytes) {
      model.bytes.push_back(at + byte);
    }
    at =
        rising ? at + bounds.end + draw(0, 2) * draw(0, 9) : at + draw_stride(child.pattern, false);
  }
  model.pattern = Pattern::sequence(offsets, children);
  return model;
}

Model draw_pieces(bool rising) {
  Model model;
  std::vector<Piece> pieces;
  int64_t at = draw(-20, 20);
  for (int64_t i = draw(0, 6); i > 0; --i) {
    const Piece piece{at, draw(0, 12)};
    pieces.push_back(piece);
    for (int64_t j = 0; j < piece.length; ++j) {
      model.bytes.push_back(piece.offset + j);
    }
    at += rising ? piece.length + draw(0, 2) * draw(0, 9) : draw(-12, 20);
  }
  model.pattern = Pattern::of_pieces(pieces);
  return model;
}

Model draw_run() {
  const int64_t length = draw(0, 3) == 0 ? draw(0, 80) : draw(1, 12);
  const int64_t shift = draw(-9, 9);
  Model model = placed({Pattern(), {0}}, {});
  for (int64_t i = 0; i < length; ++i) {
    model.bytes.push_back(shift + i);
  }
  model.pattern = Pattern::run(length).shifted(shift);
  return model;
}

Model draw_model(int depth, bool rising) {
  Model model;
  switch (depth <= 0 ? 0 : draw(0, 5)) {
    case 0: model = draw_run(); break;
    case 1: model = draw_pieces(rising); break;
    case 2: model = draw_offsets(depth, rising); break;
    case 3: model = draw_sequence(depth, rising); break;
    default: model = draw_repeat(depth, rising);
  }
  return model.bytes.size() > kMaxModelBytes ? draw_run() : model;
}

Model draw_any() { return draw_model(static_cast<int>(draw(0, 5)), draw(0, 1) == 1); }

// A random range of stream positions of the model.
Extent draw_range(const Model& model) {
  const auto size = static_cast<int64_t>(model.bytes.size());
  const int64_t first = draw(0, size);
  return {first, draw(first, size)};
}

std::vector<int64_t> walked(const Pattern& pattern, Extent range) {
  std::vector<int64_t> bytes;
  PatternWalk walk(pattern, range.begin, range.end);
  Piece piece;
  int64_t pieces = 0;
  while (walk.next(piece)) {
    RC_ASSERT(piece.length > 0);
    for (int64_t i = 0; i < piece.length; ++i) {
      bytes.push_back(piece.offset + i);
    }
    RC_ASSERT(walk.position() == range.begin + static_cast<int64_t>(bytes.size()));
    ++pieces;
  }
  RC_ASSERT(pieces <= pattern.pieces());
  RC_ASSERT(!walk.next(piece));
  return bytes;
}

std::vector<int64_t> cut(const Model& model, Extent range) {
  return {model.bytes.begin() + range.begin, model.bytes.begin() + range.end};
}

Extent hull_of(const std::vector<int64_t>& bytes) {
  if (bytes.empty()) {
    return {};
  }
  const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
  return {*low, *high + 1};
}

bool strictly_rising(const std::vector<int64_t>& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
}

// A property of fifteen patterns a case: a hundred in all would miss rare shapes.
#define PATTERN_PROPERTY(Name)               \
  void check_##Name();                       \
  RC_GTEST_PROP(PatternProperty, Name, ()) { \
    for (int i = 0; i < 15; ++i) {           \
      check_##Name();                        \
    }                                        \
  }                                          \
  void check_##Name()

PATTERN_PROPERTY(KnowsItself) {
  const Model model = draw_any();
  const Pattern& pattern = model.pattern;
  RC_ASSERT(pattern.size() == static_cast<int64_t>(model.bytes.size()));
  RC_ASSERT(pattern.bounds() == hull_of(model.bytes));
  RC_ASSERT(pattern.monotone() == strictly_rising(model.bytes));
  RC_ASSERT(!pattern.monotone() || pattern.ordered());
  const bool dense =
      strictly_rising(model.bytes) && hull_of(model.bytes).length() == pattern.size();
  RC_ASSERT(pattern.contiguous() == dense);
}

// Pieces as built may be finer than those a walk yields, so only one direction is certain.
PATTERN_PROPERTY(OrderedPiecesNeverFall) {
  const Model model = draw_any();
  if (!model.pattern.ordered()) {
    return;
  }
  PatternWalk walk(model.pattern, 0, model.pattern.size());
  Piece piece;
  int64_t before = model.pattern.bounds().begin;
  while (walk.next(piece)) {
    RC_ASSERT(piece.offset >= before);
    before = piece.offset;
  }
}

PATTERN_PROPERTY(WalksAnyRange) {
  const Model model = draw_any();
  const Extent range = draw_range(model);
  RC_ASSERT(walked(model.pattern, range) == cut(model, range));
}

PATTERN_PROPERTY(SlicesAnyRange) {
  const Model model = draw_any();
  const Extent range = draw_range(model);
  const Pattern slice = model.pattern.slice(range.begin, range.end);
  RC_ASSERT(slice.size() == range.length());
  RC_ASSERT(walked(slice, {0, slice.size()}) == cut(model, range));
  RC_ASSERT(model.pattern.slice(0, model.pattern.size()) == model.pattern);
}

PATTERN_PROPERTY(FindsOffsets) {
  const Model model = draw_any();
  for (size_t i = 0; i < model.bytes.size(); ++i) {
    RC_ASSERT(model.pattern.offset_at(static_cast<int64_t>(i)) == model.bytes[i]);
  }
}

PATTERN_PROPERTY(FindsPositions) {
  const Model model = draw_model(static_cast<int>(draw(0, 5)), true);
  RC_ASSERT(model.pattern.monotone());
  const Extent bounds = model.pattern.bounds();
  for (int64_t offset = bounds.begin - 3; offset < bounds.end + 3; ++offset) {
    const auto found = std::lower_bound(model.bytes.begin(), model.bytes.end(), offset);
    RC_ASSERT(model.pattern.position_of(offset) == found - model.bytes.begin());
  }
}

std::byte value_of(int64_t number) { return static_cast<std::byte>(number * 31 + 7); }

PATTERN_PROPERTY(PacksAnyRange) {
  const Model model = draw_any();
  const Extent range = draw_range(model);
  const Extent bounds = model.pattern.bounds();
  std::vector<std::byte> memory(static_cast<size_t>(bounds.length()));
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i] = value_of(static_cast<int64_t>(i * i));
  }
  std::vector<std::byte> out(static_cast<size_t>(range.length()));
  model.pattern.pack(range.begin, out, memory.data() - bounds.begin);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t offset = model.bytes[static_cast<size_t>(range.begin) + i];
    RC_ASSERT(out[i] == memory[static_cast<size_t>(offset - bounds.begin)]);
  }
}

// Where bytes overlap the last one of the stream wins; what the range does not name is not touched.
PATTERN_PROPERTY(UnpacksAnyRange) {
  const Model model = draw_any();
  const Extent range = draw_range(model);
  const Extent bounds = model.pattern.bounds();
  std::vector<std::byte> in(static_cast<size_t>(range.length()));
  std::vector<std::byte> expected(static_cast<size_t>(bounds.length()), std::byte{0xee});
  std::vector<std::byte> memory = expected;
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = value_of(static_cast<int64_t>(i));
    const int64_t offset = model.bytes[static_cast<size_t>(range.begin) + i];
    expected[static_cast<size_t>(offset - bounds.begin)] = in[i];
  }
  model.pattern.unpack(range.begin, in, memory.data() - bounds.begin);
  RC_ASSERT(memory == expected);
}

PATTERN_PROPERTY(SurvivesSerialization) {
  const Model model = draw_any();
  const std::vector<std::byte> image = model.pattern.serialize();
  const auto back = Pattern::deserialize(image);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == model.pattern);
  RC_ASSERT(back->fingerprint() == model.pattern.fingerprint());
  RC_ASSERT(back->serialize() == image);
}

// Changed images are refused or give some well-formed pattern; the sanitizers watch.
PATTERN_PROPERTY(DeserializeWithstandsChangedBytes) {
  std::vector<std::byte> image = draw_any().pattern.serialize();
  for (int64_t i = draw(1, 4); i > 0; --i) {
    image[static_cast<size_t>(draw(0, static_cast<int64_t>(image.size()) - 1))] =
        static_cast<std::byte>(draw(0, 255));
  }
  image.resize(static_cast<size_t>(draw(0, static_cast<int64_t>(image.size()))));
  const auto back = Pattern::deserialize(image);
  if (!back) {
    RC_ASSERT(back.error().code == ErrorClass::kInvalidArgument);
    return;
  }
  PatternWalk walk(*back, 0, back->size());
  Piece piece;
  for (int i = 0; i < 100 && walk.next(piece); ++i) {
    RC_ASSERT(piece.length > 0);
  }
}

// Tiles of a monotone pattern, each `extent` behind the one before.
RC_GTEST_PROP(TiledPatternProperty, AgreesWithListedTiles, ()) {
  Model tile = draw_model(static_cast<int>(draw(0, 4)), true);
  RC_PRE(!tile.bytes.empty());
  const int64_t origin = draw(0, 100);
  const int64_t extent = tile.pattern.bounds().length() + draw(0, 2) * draw(0, 20);
  const TiledPattern view(origin, extent, tile.pattern);
  Model all;
  for (int64_t i = 0; i < 4; ++i) {
    for (const int64_t byte : tile.bytes) {
      all.bytes.push_back(origin + i * extent + byte);
    }
  }
  const Extent range = draw_range(all);
  const Pattern slice = view.slice(range.begin, range.end);
  RC_ASSERT(walked(slice, {0, slice.size()}) == cut(all, range));
  RC_ASSERT(view.hull_of(range.begin, range.end) == hull_of(cut(all, range)));
  for (int64_t offset = all.bytes.front() - 2; offset <= all.bytes.back(); ++offset) {
    const auto found = std::lower_bound(all.bytes.begin(), all.bytes.end(), offset);
    RC_ASSERT(view.position_of(offset) == found - all.bytes.begin());
  }
  const auto back = TiledPattern::deserialize(view.serialize());
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == view);
}

}  // namespace
}  // namespace longshore
