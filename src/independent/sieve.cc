#include "independent/sieve.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/raw_buffer.h"
#include "independent/range_lock.h"

namespace longshore {

namespace {

// The windows of a sieved transfer, in order: stream positions and the hull of their bytes.
class Windows {
 public:
  Windows(const Pattern& file, int64_t window_bytes) : file_(file), window_bytes_(window_bytes) {}

  bool next() {
    if (positions_.end >= file_.size()) {
      return false;
    }
    const int64_t begin = file_.offset_at(positions_.end);
    positions_ = {positions_.end, file_.position_of(begin + window_bytes_)};
    hull_ = {begin, file_.offset_at(positions_.end - 1) + 1};
    return true;
  }
  [[nodiscard]] Extent positions() const { return positions_; }
  [[nodiscard]] Extent hull() const { return hull_; }
  [[nodiscard]] bool holed() const { return hull_.length() != positions_.length(); }

 private:
  const Pattern& file_;
  int64_t window_bytes_;
  Extent positions_;
  Extent hull_;
};

// Moves stream positions between the program's memory and a window that holds the file's bytes from
// window_begin on.
void take_out(const Access& access, const Pattern& file, Extent positions,
              std::span<std::byte> window, int64_t window_begin) {
  RawBuffer scratch;
  auto packed = scratch.take(positions.length());
  file.shifted(-window_begin).pack(positions.begin, packed, window.data());
  access.memory.unpack(positions.begin, packed, access.base);
}

void put_in(const Access& access, const Pattern& file, Extent positions,
            std::span<std::byte> window, int64_t window_begin) {
  RawBuffer scratch;
  auto packed = scratch.take(positions.length());
  access.memory.pack(positions.begin, packed, access.base);
  file.shifted(-window_begin).unpack(positions.begin, packed, window.data());
}

// Stream positions of [first, ...) whose offset lies before `offset`.
Extent positions_before(const Pattern& file, Extent positions, int64_t offset) {
  return {positions.begin, std::clamp(file.position_of(offset), positions.begin, positions.end)};
}

Outcome write_back(Storage& storage, const Access& access, const Pattern& file, const Windows& at,
                   std::span<std::byte> window) {
  if (at.holed()) {
    const Outcome old = storage.read_at(at.hull().begin, window);
    if (!old.ok()) {
      return {0, old.error};
    }
    std::memset(window.data() + old.bytes, 0, window.size() - static_cast<size_t>(old.bytes));
  }
  put_in(access, file, at.positions(), window, at.hull().begin);
  const Outcome written = storage.write_at(at.hull().begin, window);
  const auto done = positions_before(file, at.positions(), at.hull().begin + written.bytes);
  return {done.length(), written.error};
}

}  // namespace

Outcome sieve_read(Storage& storage, const Access& access, const Pattern& file,
                   int64_t buffer_bytes) {
  RawBuffer scratch;
  Outcome total;
  for (Windows at(file, buffer_bytes); at.next();) {
    auto window = scratch.take(at.hull().length());
    const Outcome got = storage.read_at(at.hull().begin, window);
    const auto valid = positions_before(file, at.positions(), at.hull().begin + got.bytes);
    take_out(access, file, valid, window, at.hull().begin);
    total.bytes += valid.length();
    if (!got.ok() || valid.length() < at.positions().length()) {
      total.error = got.error;
      return total;
    }
  }
  return total;
}

Outcome sieve_write(Storage& storage, const Access& access, const Pattern& file,
                    int64_t buffer_bytes, std::mutex* locks) {
  RawBuffer scratch;
  Outcome total;
  for (Windows at(file, buffer_bytes); at.next();) {
    std::optional<Result<RangeLock>> lock;
    if (locks != nullptr) {
      lock.emplace(RangeLock::take(storage, *locks, at.hull(), true));
      if (!*lock) {
        total.error = lock->error();
        return total;
      }
    }
    const Outcome part = write_back(storage, access, file, at, scratch.take(at.hull().length()));
    total.bytes += part.bytes;
    if (!part.ok()) {
      total.error = part.error;
      return total;
    }
  }
  return total;
}

}  // namespace longshore
