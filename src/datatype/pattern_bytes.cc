// The image is: shift, number of nodes, then the nodes, children before parents and the root last;
// a parent names a child by how many nodes back it stands, so shared nodes are written once.
//   run:      0, length
//   repeat:   1, count, stride, child
//   offsets:  2, count, child, then count - 1 offsets as differences
//   pieces:   3, count, then per piece the gap to the end of the one before, and its length
//   sequence: 4, count, then per child the difference of its offset, and the child
// Worked example: repeat(3, 32, run(16)) is 00 02 | 00 10 | 01 03 40 01 - eight bytes.
#include "datatype/pattern_bytes.h"

#include <unordered_map>

#include "datatype/pattern_build.h"

namespace longshore {
namespace {

using Node = Pattern::Node;
using Kind = Node::Kind;

constexpr int32_t kMaxDepth = 256;

class Encoder {
 public:
  explicit Encoder(ByteWriter& writer) : writer_(writer) {}

  // Numbers the nodes under `node`, children first.
  void collect(const Node* node) {
    if (node == nullptr || ids_.contains(node)) {
      return;
    }
    collect(node->child.get());
    for (const NodeRef& child : node->children) {
      collect(child.get());
    }
    ids_.emplace(node, order_.size());
    order_.push_back(node);
  }

  void write() {
    writer_.number(order_.size());
    for (const Node* node : order_) {
      writer_.number(static_cast<uint64_t>(node->kind));
      write_fields(*node);
      ++written_;
    }
  }

 private:
  void write_child(const Node* child) { writer_.number(written_ - ids_.at(child)); }

  void write_fields(const Node& node) {
    if (node.is_run()) {
      writer_.number(static_cast<uint64_t>(node.size));
      return;
    }
    writer_.number(static_cast<uint64_t>(node.count));
    if (node.kind == Kind::kRepeat) {
      writer_.signed_number(node.stride);
    }
    if (node.child) {
      write_child(node.child.get());
    }
    write_entries(node);
  }

  void write_entries(const Node& node) {
    int64_t before = 0;
    const bool skip_first = node.kind == Kind::kOffsets;
    for (size_t i = skip_first ? 1 : 0; i < node.offsets.size(); ++i) {
      writer_.signed_number(node.offsets[i] - before);
      before = node.offsets[i];
      if (node.kind == Kind::kPieces) {
        const int64_t length = node.starts[i + 1] - node.starts[i];
        writer_.number(static_cast<uint64_t>(length));
        before += length;
      } else if (node.kind == Kind::kSequence) {
        write_child(node.children[i].get());
      }
    }
  }

  ByteWriter& writer_;
  std::unordered_map<const Node*, size_t> ids_;
  std::vector<const Node*> order_;
  size_t written_ = 0;
};

// Rebuilds every node with the public builders, which makes the result normal whatever was sent.
class Decoder {
 public:
  explicit Decoder(ByteReader& reader) : reader_(reader) {}

  Result<Pattern> read() {
    const int64_t shift = reader_.signed_number();
    const uint64_t count = reader_.number();
    if (!reader_.ok() || count > reader_.remaining() || !sane(shift)) {
      return bad("header");
    }
    for (uint64_t i = 0; i < count; ++i) {
      Pattern node = read_node();
      if (!reader_.ok() || failed_ || !sane(node)) {
        return bad("node");
      }
      nodes_.push_back(std::move(node));
    }
    return nodes_.empty() ? Pattern() : nodes_.back().shifted(shift);
  }

 private:
  static tl::unexpected<Error> bad(const char* what) {
    return fail(ErrorClass::kInvalidArgument, std::string("pattern image: bad ") + what);
  }
  static bool sane(int64_t number) {
    return number > -Pattern::kMaxBytes / 2 && number < Pattern::kMaxBytes / 2;
  }
  static bool sane(const Pattern& node) {
    const Extent bounds = node.bounds();
    return node.size() > 0 && sane(node.size()) && sane(node.pieces()) && sane(bounds.begin) &&
           sane(bounds.end) && node.root()->depth <= kMaxDepth;
  }

  // Remembers a failure and gives an empty pattern.
  Pattern refuse() {
    failed_ = true;
    return {};
  }
  Pattern read_child() {
    const uint64_t back = reader_.number();
    return back == 0 || back > nodes_.size() ? refuse() : nodes_[nodes_.size() - back];
  }
  int64_t read_positive() {
    const uint64_t value = reader_.number();
    if (value == 0 || value >= static_cast<uint64_t>(Pattern::kMaxBytes / 2)) {
      failed_ = true;
      return 1;
    }
    return static_cast<int64_t>(value);
  }
  // `before` + a difference that was read.
  int64_t read_offset(int64_t before) {
    const int64_t difference = reader_.signed_number();
    const bool good = sane(difference) && sane(before + difference);
    failed_ = failed_ || !good;
    return good ? before + difference : 0;
  }

  Pattern read_node() {
    const uint64_t kind = reader_.number();
    const int64_t count = read_positive();
    if (kind == static_cast<uint64_t>(Kind::kRun)) {
      return Pattern::run(count);
    }
    if (kind == static_cast<uint64_t>(Kind::kRepeat)) {
      const int64_t stride = read_offset(0);
      return Pattern::repeat(count, stride, read_child());
    }
    if (failed_ || static_cast<uint64_t>(count) > reader_.remaining()) {
      return refuse();
    }
    switch (static_cast<Kind>(kind)) {
      case Kind::kOffsets: return read_offsets(count);
      case Kind::kPieces: return read_pieces(count);
      case Kind::kSequence: return read_sequence(count);
      default: return refuse();
    }
  }

  Pattern read_offsets(int64_t count) {
    const Pattern child = read_child();
    std::vector<int64_t> offsets{0};
    offsets.reserve(static_cast<size_t>(count));
    while (static_cast<int64_t>(offsets.size()) < count && !failed_ && reader_.ok()) {
      offsets.push_back(read_offset(offsets.back()));
    }
    return Pattern::at_offsets(std::move(offsets), child);
  }

  Pattern read_pieces(int64_t count) {
    std::vector<Piece> pieces;
    pieces.reserve(static_cast<size_t>(count));
    int64_t before = 0;
    while (static_cast<int64_t>(pieces.size()) < count && !failed_ && reader_.ok()) {
      const int64_t offset = read_offset(before);
      pieces.push_back({offset, read_positive()});
      before = offset + pieces.back().length;
      failed_ = failed_ || !sane(before);
    }
    return Pattern::of_pieces(pieces);
  }

  Pattern read_sequence(int64_t count) {
    std::vector<int64_t> offsets;
    std::vector<Pattern> children;
    int64_t before = 0;
    for (int64_t i = 0; i < count && !failed_ && reader_.ok(); ++i) {
      before = read_offset(before);
      offsets.push_back(before);
      children.push_back(read_child());
    }
    return Pattern::sequence(offsets, children);
  }

  ByteReader& reader_;
  std::vector<Pattern> nodes_;
  bool failed_ = false;
};

}  // namespace

void ByteWriter::number(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<std::byte>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<std::byte>(value));
}

void ByteWriter::signed_number(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  number((bits << 1) ^ (value < 0 ? ~uint64_t{0} : 0));
}

uint64_t ByteReader::number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && ok_ && !rest_.empty(); shift += 7) {
    const auto digit = static_cast<uint64_t>(rest_.front());
    rest_ = rest_.subspan(1);
    value |= (digit & 0x7f) << shift;
    if (digit < 0x80) {
      return value;
    }
  }
  ok_ = false;
  return 0;
}

int64_t ByteReader::signed_number() {
  const uint64_t bits = number();
  return static_cast<int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~uint64_t{0} : 0));
}

void write_pattern(ByteWriter& writer, const Pattern& pattern) {
  writer.signed_number(pattern.shift());
  Encoder encoder(writer);
  encoder.collect(pattern.root());
  encoder.write();
}

Result<Pattern> read_pattern(ByteReader& reader) { return Decoder(reader).read(); }

std::vector<std::byte> Pattern::serialize() const {
  ByteWriter writer;
  write_pattern(writer, *this);
  return writer.take();
}

Result<Pattern> Pattern::deserialize(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  auto pattern = read_pattern(reader);
  if (pattern && !reader.at_end()) {
    return fail(ErrorClass::kInvalidArgument, "pattern image: bytes behind the end");
  }
  return pattern;
}

}  // namespace longshore
