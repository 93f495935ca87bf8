#include "workloads/content.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace longshore::bench {
namespace {

constexpr int64_t kWordBytes = 8;
constexpr size_t kChunkBytes = 16384;

uint64_t word_at(int64_t index, uint64_t seed) {
  const uint64_t mixed = (static_cast<uint64_t>(index) + seed) * 0x9e3779b97f4a7c15U;
  return mixed ^ (mixed >> 29);
}

// A cursor over a shape that is repeated for ever, by the position in its data. One without gaps is
// a single piece without end.
class ShapeWalk {
 public:
  ShapeWalk(const Shape& shape, int64_t base, int64_t position)
      : pieces_(shape.pieces()), extent_(shape.extent_bytes()), gapless_(shape.gapless()) {
    if (gapless_) {
      base_ = base + position;
      return;
    }
    base_ = base + position / shape.size_bytes() * extent_;
    into_ = position % shape.size_bytes();
    while (into_ >= pieces_[index_].length) {
      into_ -= pieces_[index_].length;
      ++index_;
    }
  }
  [[nodiscard]] int64_t offset() const { return base_ + pieces_[index_].offset + into_; }
  [[nodiscard]] int64_t left() const {
    return gapless_ ? std::numeric_limits<int64_t>::max() : pieces_[index_].length - into_;
  }
  void advance(int64_t bytes) {
    into_ += bytes;
    if (gapless_ || into_ < pieces_[index_].length) {
      return;
    }
    into_ = 0;
    if (++index_ == pieces_.size()) {
      index_ = 0;
      base_ += extent_;
    }
  }

 private:
  const std::vector<Piece>& pieces_;
  int64_t extent_;
  bool gapless_;
  int64_t base_ = 0;
  int64_t into_ = 0;
  size_t index_ = 0;
};

}  // namespace

uint64_t seed_of(int repetition, size_t call) {
  return ((static_cast<uint64_t>(repetition) << 32) + call + 1) * 0x632be59bd9b4e019U;
}

void fill(std::span<std::byte> bytes, int64_t file_offset, uint64_t seed) {
  int64_t at = 0;
  const auto length = static_cast<int64_t>(bytes.size());
  while (at < length) {
    const uint64_t word = word_at((file_offset + at) / kWordBytes, seed);
    const int64_t into = (file_offset + at) % kWordBytes;
    const int64_t now = std::min(kWordBytes - into, length - at);
    if (now == kWordBytes) {
      std::memcpy(bytes.data() + at, &word, kWordBytes);
    } else {
      std::array<std::byte, kWordBytes> parts{};
      std::memcpy(parts.data(), &word, kWordBytes);
      std::memcpy(bytes.data() + at, parts.data() + into, static_cast<size_t>(now));
    }
    at += now;
  }
}

int64_t first_wrong(std::span<const std::byte> bytes, int64_t file_offset, uint64_t seed) {
  std::array<std::byte, kChunkBytes> expected;
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const auto part = bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at));
    fill(std::span(expected).first(part.size()), file_offset + static_cast<int64_t>(at), seed);
    if (std::memcmp(part.data(), expected.data(), part.size()) != 0) {
      const auto differs = std::mismatch(part.begin(), part.end(), expected.begin()).first;
      return static_cast<int64_t>(at) + (differs - part.begin());
    }
  }
  return -1;
}

void for_each_segment(const Workload& workload, const Call& call,
                      const std::function<void(const Segment&)>& use) {
  ShapeWalk in_file(workload.view, workload.displacement, call.view_position);
  ShapeWalk in_memory(workload.memory, call.memory_offset, 0);
  int64_t left = workload.bytes_of(call);
  while (left > 0) {
    const int64_t now = std::min({left, in_file.left(), in_memory.left()});
    use({in_file.offset(), in_memory.offset(), now});
    in_file.advance(now);
    in_memory.advance(now);
    left -= now;
  }
}

void fill_memory(const Workload& workload, int repetition, std::span<std::byte> buffer) {
  for (size_t i = 0; i < workload.calls.size(); ++i) {
    const uint64_t seed = seed_of(repetition, i);
    for_each_segment(workload, workload.calls[i], [&](const Segment& segment) {
      fill(buffer.subspan(static_cast<size_t>(segment.memory_offset),
                          static_cast<size_t>(segment.length)),
           segment.file_offset, seed);
    });
  }
}

int64_t check_memory(const Workload& workload, int repetition, std::span<std::byte> buffer) {
  int64_t wrong = -1;
  for (size_t i = 0; i < workload.calls.size(); ++i) {
    const uint64_t seed = seed_of(repetition, i);
    for_each_segment(workload, workload.calls[i], [&](const Segment& segment) {
      const auto part = buffer.subspan(static_cast<size_t>(segment.memory_offset),
                                       static_cast<size_t>(segment.length));
      const int64_t index = first_wrong(part, segment.file_offset, seed);
      if (index >= 0 && wrong == -1) {
        wrong = segment.file_offset + index;
      }
      std::fill(part.begin(), part.end(), std::byte{0});
    });
  }
  const auto stray =
      std::find_if(buffer.begin(), buffer.end(), [](std::byte b) { return b != std::byte{0}; });
  if (stray != buffer.end() && wrong == -1) {
    wrong = -2 - (stray - buffer.begin());
  }
  std::fill(stray, buffer.end(), std::byte{0});
  return wrong;
}

}  // namespace longshore::bench
