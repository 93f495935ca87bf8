// collective/strategy.h - how one collective call is carried out; equal on all ranks.
#pragma once
#include <cstdint>
#include <vector>

#include "collective/partition.h"

namespace longshore {

struct Strategy {
  bool two_phase = false;        // false: every rank for itself
  std::vector<int> aggregators;  // ranks, in domain order
  PartitionKind partition = PartitionKind::kEven;
  int64_t stripe_bytes = 1;
  int64_t buffer_bytes = 0;  // one aggregator's window
  // Overlapping writes take effect in rank order (atomic mode); costs a copy.
  bool in_rank_order = false;
  const char* reason = "";
};

}  // namespace longshore
