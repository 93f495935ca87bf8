// How fast patterns are packed, unpacked, walked and cut, beside memcpy over the same bytes.
//
// Usage: pack_bench [kibibytes of data per case, default 8192]. Prints one line a case: GB/s of
// data moved (best of several runs) by one memcpy of as many bytes, by a memcpy per piece from a
// ready list of offsets, by pack and by unpack. The strided memory is larger than the data, so
// where it exceeds the cache the memcpy per piece is the fair measure.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "datatype/pattern.h"

namespace longshore {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRuns = 25;

// The best of several runs: what the code can do when nothing else disturbs it.
double best_seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double gigabytes_per_second(int64_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

// The same number of bytes from one plain buffer to another.
double memcpy_rate(int64_t bytes) {
  std::vector<std::byte> from(static_cast<size_t>(bytes), std::byte{1});
  std::vector<std::byte> to(from.size());
  return gigabytes_per_second(
      bytes, best_seconds([&] { std::memcpy(to.data(), from.data(), from.size()); }));
}

// A memcpy per piece, with the pieces known beforehand.
double piecewise_rate(const Pattern& pattern, std::vector<std::byte>& stream,
                      const std::byte* base) {
  std::vector<Piece> pieces;
  PatternWalk walk(pattern, 0, pattern.size());
  for (Piece piece; walk.next(piece);) {
    pieces.push_back(piece);
  }
  const double seconds = best_seconds([&] {
    std::byte* to = stream.data();
    for (const Piece& piece : pieces) {
      std::memcpy(to, base + piece.offset, static_cast<size_t>(piece.length));
      to += piece.length;
    }
  });
  return gigabytes_per_second(pattern.size(), seconds);
}

void compare(const char* name, const Pattern& pattern) {
  const auto bytes = static_cast<size_t>(pattern.size());
  const Extent bounds = pattern.bounds();
  std::vector<std::byte> memory(static_cast<size_t>(bounds.length()), std::byte{1});
  std::vector<std::byte> stream(bytes, std::byte{2});
  std::byte* base = memory.data() - bounds.begin;
  const double plain = memcpy_rate(pattern.size());
  const double piecewise = piecewise_rate(pattern, stream, base);
  const double pack =
      gigabytes_per_second(pattern.size(), best_seconds([&] { pattern.pack(0, stream, base); }));
  const double unpack =
      gigabytes_per_second(pattern.size(), best_seconds([&] { pattern.unpack(0, stream, base); }));
  std::printf("%-34s memcpy %6.2f  by piece %6.2f  pack %6.2f  unpack %6.2f\n", name, plain,
              piecewise, pack, unpack);
}

void measure_walk(const char* name, const Pattern& pattern) {
  int64_t pieces = 0;
  const double seconds = best_seconds([&] {
    PatternWalk walk(pattern, 0, pattern.size());
    pieces = 0;
    for (Piece piece; walk.next(piece);) {
      ++pieces;
    }
  });
  std::printf("walk %-29s %.2f ns a piece\n", name, seconds * 1e9 / static_cast<double>(pieces));
}

// A slice of an irregular list copies its entries, so `slices` says how many to time.
void measure_questions(const char* name, const Pattern& pattern, int slices) {
  constexpr int kTimes = 10000;
  const int64_t step = pattern.size() / kTimes;
  int64_t sum = 0;
  const double locate = best_seconds([&] {
    for (int64_t i = 0; i < kTimes; ++i) {
      sum += pattern.position_of(pattern.offset_at(i * step));
    }
  });
  const double slice = best_seconds([&] {
    for (int64_t i = 1; i <= slices; ++i) {
      sum += pattern.slice(i + pattern.size() / 4, pattern.size() / 4 * 3).size();
    }
  });
  std::printf("%-34s offset_at + position_of %.0f ns, slice %.0f ns (%lld)\n", name,
              locate * 1e9 / kTimes, slice * 1e9 / slices, static_cast<long long>(sum % 10));
}

// A cube of side n inside one of side 2n, of 8-byte elements, in `dimensions` dimensions.
Pattern cube(int64_t n, int dimensions) {
  Pattern pattern = Pattern::run(8);
  int64_t stride = 8;
  for (int i = 0; i < dimensions; ++i) {
    pattern = Pattern::repeat(n, stride, pattern);
    stride *= 2 * n;
  }
  return pattern;
}

// Every other 8-byte element in the two fastest dimensions: no level is contiguous.
Pattern sparse_cube(int64_t n) {
  const Pattern row = Pattern::repeat(n, 16, Pattern::run(8));
  return Pattern::repeat(n, 64 * n * n, Pattern::repeat(n, 32 * n, row));
}

// Pieces of `length` bytes at irregular places.
Pattern scattered(int64_t count, int64_t length, bool equal_lengths) {
  std::vector<Piece> pieces;
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t mine = equal_lengths ? length : length / 2 + (i * 7919) % length + 1;
    pieces.push_back({at, mine});
    at += mine + 8 + (i * 104729) % 64;
  }
  return Pattern::of_pieces(pieces);
}

void run(int64_t bytes) {
  for (const int64_t length : {4, 8, 12, 16, 20, 32, 48, 64, 100, 128, 256, 1024, 4096, 65536}) {
    char name[64];
    std::snprintf(name, sizeof name, "%lld bytes of %lld", static_cast<long long>(length),
                  static_cast<long long>(2 * length));
    compare(name, Pattern::repeat(bytes / length, 2 * length, Pattern::run(length)));
  }
  compare("one run", Pattern::run(bytes));
  compare("3-D 64^3 of 128^3, rows of 512", cube(64, 3));
  compare("4-D 24^4 of 48^4, rows of 192", cube(24, 4));
  compare("3-D 4^3 blocks, repeated", Pattern::repeat(bytes / 512, 4096, cube(4, 3)));
  compare("3-D 64^3, every other element", sparse_cube(64));
  compare("listed pieces of 8", scattered(bytes / 8, 8, true));
  compare("listed pieces of 256", scattered(bytes / 256, 256, true));
  compare("listed pieces of 8 to 24", scattered(bytes / 16, 16, false));
  compare("listed pieces of 128 to 384", scattered(bytes / 256, 256, false));
  compare("struct of 8, 4 and 2 bytes, of 24",
          Pattern::repeat(bytes / 14, 24,
                          Pattern::of_pieces(std::vector<Piece>{{0, 8}, {12, 4}, {20, 2}})));
  measure_walk("8 of 16", Pattern::repeat(1'000'000, 16, Pattern::run(8)));
  measure_walk("3-D 64^3 of 128^3", cube(64, 3));
  measure_walk("listed pieces", scattered(1'000'000, 8, false));
  measure_questions("3-D 64^3 of 128^3", cube(64, 3), 1000);
  measure_questions("10^6 listed pieces", scattered(1'000'000, 8, false), 2);
}

}  // namespace
}  // namespace longshore

int main(int argc, char** argv) {
  const long kibibytes = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 8192;
  if (kibibytes < 1) {
    std::fprintf(stderr, "usage: pack_bench [kibibytes]\n");
    return 2;
  }
  longshore::run(kibibytes << 10);
  return 0;
}
