// core/extent.h - a half-open range of file bytes.
#pragma once
#include <algorithm>
#include <cstdint>

namespace longshore {

// [begin, end) in bytes. An extent with end <= begin is empty, wherever it stands.
struct Extent {
  int64_t begin = 0;
  int64_t end = 0;

  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr int64_t length() const { return empty() ? 0 : end - begin; }
  [[nodiscard]] constexpr bool contains(int64_t offset) const {
    return begin <= offset && offset < end;
  }
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

[[nodiscard]] constexpr Extent intersect(Extent a, Extent b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

// The smallest extent that holds both; an empty one adds nothing.
[[nodiscard]] constexpr Extent hull(Extent a, Extent b) {
  if (a.empty()) {
    return b;
  }
  if (b.empty()) {
    return a;
  }
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace longshore
