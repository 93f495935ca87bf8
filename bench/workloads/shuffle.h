// shuffle.h - chance that falls alike on all ranks, in every run, with every standard library
// (std::shuffle may differ between them).
#pragma once
#include <cstdint>
#include <vector>

namespace longshore::bench {

// The numbers from 0 to count - 1, shuffled.
[[nodiscard]] std::vector<int> shuffled(int count, uint32_t seed);

// The hand of one rank if each rank, in order, is dealt `each` cards of the deck.
[[nodiscard]] std::vector<int> dealt(const std::vector<int>& deck, int rank, int each);

}  // namespace longshore::bench
