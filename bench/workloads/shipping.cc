// The data shipping benchmark of prost-2000 (section 3.2): each task moves blocks of 4 KiB at
// random places of the file, no two at one place, one independent call each, without a view. The
// paper leaves open how full the file gets; here half of its places are taken, so that it has
// holes. The blocks come in the order in which they were dealt: the next is anywhere. The memory is
// contiguous.
//
// With 2 blocks for each of 2 ranks there are 8 places; if the deck begins 6 1 3 0, rank 0 moves
// block 6, then block 1, and rank 1 block 3, then block 0.
#include <algorithm>

#include "workloads/shuffle.h"
#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int64_t kBlockBytes = 4096;
constexpr int kPlacesPerBlock = 2;
constexpr uint32_t kSeed = 20000327;

}  // namespace

Workload make_shipping_4k(const Part& part) {
  const int each = static_cast<int>(std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes));
  const auto deck = shuffled(kPlacesPerBlock * each * part.ranks, kSeed);
  std::vector<Call> calls;
  int64_t at = 0;
  for (const int place : dealt(deck, part.rank, each)) {
    calls.push_back({place * kBlockBytes, at, kBlockBytes});
    at += kBlockBytes;
  }
  return {0, plain_byte(), plain_byte(), at, std::move(calls)};
}

}  // namespace longshore::bench
