// rng.h - the only source of randomness of the differential test.
// Everything is a pure function of its seed, so that every rank of a case draws the same numbers
// and a case can be replayed from (seed, case number) alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace random_test {

// One round of the splitmix64 finaliser: a bijection of 64-bit words with good avalanche.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ (b * 0xd6e8feb86659fd93ULL)); }

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(mix(seed)) {}

  uint64_t next() { return mix(state_++); }

  // Uniform in [0, n).  REQUIRES: n > 0.
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }

  // Uniform in [low, high], both included.
  int64_t range(int64_t low, int64_t high) { return low + below(high - low + 1); }
  int int_range(int low, int high) { return static_cast<int>(range(low, high)); }

  bool chance(int percent) { return below(100) < percent; }

  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<int64_t>(values.size())));
  }

  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace random_test
