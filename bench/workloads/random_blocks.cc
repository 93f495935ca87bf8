// Blocks of 1 KiB that together fill the file, dealt by a seeded shuffle. A view's offsets must not
// decrease, so each rank's blocks are sorted. One call; the memory is contiguous.
#include <algorithm>
#include <numeric>
#include <random>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kBlockBytes = 1024;
constexpr uint32_t kSeed = 20080915;

// std::shuffle may differ between standard libraries: all ranks, and every run, must deal alike.
std::vector<int> shuffled(int count) {
  std::vector<int> places(static_cast<size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::mt19937 random(kSeed);
  for (size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[random() % i]);
  }
  return places;
}

}  // namespace

Workload make_random_1k(const Part& part) {
  const int each = static_cast<int>(std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes));
  const auto deck = shuffled(each * part.ranks);
  const auto first = deck.begin() + std::ptrdiff_t{part.rank} * each;
  std::vector<int> places(first, first + each);
  std::sort(places.begin(), places.end());
  const int64_t bytes = int64_t{each} * kBlockBytes;
  return {0, blocks_at(kBlockBytes, places), contiguous(bytes), bytes, {Call{}}};
}

}  // namespace longshore::bench
