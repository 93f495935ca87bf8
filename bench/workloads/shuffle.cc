#include "workloads/shuffle.h"

#include <numeric>
#include <random>
#include <utility>

namespace longshore::bench {

std::vector<int> shuffled(int count, uint32_t seed) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937 random(seed);
  for (size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[random() % i]);
  }
  return numbers;
}

std::vector<int> dealt(const std::vector<int>& deck, int rank, int each) {
  const auto first = deck.begin() + std::ptrdiff_t{rank} * each;
  return {first, first + each};
}

}  // namespace longshore::bench
