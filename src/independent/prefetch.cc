#include "independent/prefetch.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "independent/access_ranges.h"

namespace longshore {

namespace {

constexpr int64_t kPlainBlockBytes = int64_t{256} << 10;
constexpr int64_t kAutomaticRanges = 4;
constexpr int64_t kFewPieces = 4;

// The ranges that are announced and not released.
class Announced {
 public:
  Announced(Storage& storage, const Pattern& file, const PrefetchTerms& terms, int64_t depth)
      : storage_(storage), ranges_(file, terms.block_bytes), depth_(static_cast<size_t>(depth)) {
    fill();
  }
  ~Announced() { release(window_.size()); }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

  // Stream positions to read next; empty at the end.
  [[nodiscard]] Extent next() const {
    if (window_.empty()) {
      return {};
    }
    const size_t last = std::min(depth_, window_.size()) - 1;
    return {window_.front().positions.begin, window_[last].positions.end};
  }
  // After those were read.
  void advance() {
    release(std::min(depth_, window_.size()));
    fill();
  }

 private:
  void fill() {
    AccessRange range;
    while (window_.size() < 2 * depth_ && ranges_.next(range)) {
      storage_.will_need(range.bytes);
      window_.push_back(range);
    }
  }
  void release(size_t count) {
    for (; count > 0; --count) {
      storage_.done_with(window_.front().bytes);
      window_.pop_front();
    }
  }

  Storage& storage_;
  AccessRanges ranges_;
  size_t depth_;
  std::deque<AccessRange> window_;
};

Access part_of(const Access& access, Extent positions) {
  Access part = access;
  part.first = access.first + positions.begin;
  part.last = access.first + positions.end;
  part.memory = access.memory.slice(positions.begin, positions.end);
  return part;
}

// Large pieces are fetched ahead by the kernel; one block is one request anyhow.
bool scattered(const Pattern& file, int64_t block_bytes) {
  const int64_t pieces = file.pieces();
  return pieces >= kFewPieces && file.size() / pieces < block_bytes &&
         file.bounds().length() > block_bytes;
}

}  // namespace

int64_t prefetch_block_bytes(const Layout& layout, int64_t least_bytes) {
  return std::max(layout.striped ? layout.stripe_bytes : kPlainBlockBytes, least_bytes);
}

int64_t prefetch_depth(Storage& storage, const Pattern& file, const PrefetchTerms& terms) {
  if (terms.block_bytes <= 0 || terms.max_ranges == 0 || file.contiguous() || !file.monotone()) {
    return 0;
  }
  if (terms.max_ranges > 0) {
    return file.bounds().length() > terms.block_bytes ? terms.max_ranges : 0;
  }
  const Extent bounds = file.bounds();
  const bool useful = scattered(file, terms.block_bytes) &&
                      !(storage.cached(bounds.begin) && storage.cached(bounds.end - 1));
  return useful ? kAutomaticRanges : 0;
}

Outcome read_prefetched(Storage& storage, const Access& access, const Pattern& file,
                        const PrefetchTerms& terms, int64_t depth, const ReadPart& read) {
  Announced announced(storage, file, terms, depth);
  Outcome total;
  for (Extent at = announced.next(); !at.empty(); at = announced.next()) {
    Outcome part = read(part_of(access, at), file.slice(at.begin, at.end));
    total.bytes += part.bytes;
    if (!part.ok() || part.bytes < at.length()) {
      total.error = std::move(part.error);
      return total;
    }
    announced.advance();
  }
  return total;
}

}  // namespace longshore
