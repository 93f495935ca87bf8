// comm/cores.h - the cores that ranks may run on. Launchers bind ranks to cores, not all alike.
#pragma once
#include <cstdint>
#include <span>

#include "comm/communicator.h"

namespace longshore {

// As one rank tells the others.
struct CoreSet {
  int64_t count = 1;
  uint64_t which = 0;  // equal for equal sets
};

[[nodiscard]] CoreSet cores_of_process();

// Of the node that has the fewest for all its ranks. Sets that differ are taken to have nothing in
// common.
[[nodiscard]] int fewest_cores(const NodeMap& nodes, std::span<const CoreSet> of_ranks);

}  // namespace longshore
