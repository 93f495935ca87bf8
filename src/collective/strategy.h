// collective/strategy.h - how one collective call is carried out; equal on all ranks.
#pragma once
#include <cstdint>
#include <vector>

#include "collective/partition.h"
#include "collective/pipeline.h"

namespace longshore {

// How bytes move between ranks; kShm is for ranks of one node only, kGathered for those of several
// and only beside kShm.
enum class ExchangeKind { kShm, kTwoSided, kRmaFence, kRmaLock, kGathered };

struct Strategy {
  bool two_phase = false;        // false: every rank for itself
  std::vector<int> aggregators;  // ranks, in domain order
  PartitionTerms partition;
  ExchangeKind near = ExchangeKind::kShm;      // between ranks of a node
  ExchangeKind far = ExchangeKind::kTwoSided;  // between nodes; not kShm
  PipelineKind pipeline = PipelineKind::kNone;
  // Overlapping writes take effect in rank order (atomic mode); costs a copy.
  bool in_rank_order = false;
  const char* reason = "";
};

}  // namespace longshore
