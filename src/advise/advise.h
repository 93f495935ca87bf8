// advise/advise.h - the one place that decides how a call is carried out.
#pragma once
#include <cstdint>
#include <vector>

#include "collective/census.h"
#include "collective/strategy.h"
#include "comm/communicator.h"
#include "layout/layout.h"

namespace longshore {

enum class Choice { kAutomatic, kEnable, kDisable };
enum class PartitionChoice { kAutomatic, kEven, kAligned, kCyclic, kOneToK };
enum class PipelineChoice { kAutomatic, kNone, kComm, kWrite, kWriteComm, kWriteComm2 };
enum class ExchangeChoice {
  kAutomatic,
  kShm,  // with two_sided between nodes
  kTwoSided,
  kRmaFence,
  kRmaLock,
  kShmRmaFence,
  kShmRmaLock,
  kShmGathered,
};

// What the program asked for, in the terms of the decision.
struct Preferences {
  Choice collective_read = Choice::kAutomatic;
  Choice collective_write = Choice::kAutomatic;
  int aggregators = 0;           // wished in all; 0: no wish
  int aggregators_per_node = 0;  // at most; 0: no limit
  PartitionChoice partition = PartitionChoice::kAutomatic;
  ExchangeChoice exchange = ExchangeChoice::kAutomatic;
  PipelineChoice pipeline = PipelineChoice::kAutomatic;
  Choice sparse = Choice::kAutomatic;  // every rank for itself where bytes lie far apart
  int targets_per_aggregator = 1;      // one_to_k
  int64_t buffer_bytes = 0;            // of an aggregator; 0: as fits
  int64_t stripe_bytes = 0;            // 0: the file has no stripes that matter
};

// Where a call takes place.
struct Site {
  const NodeMap& nodes;
  const Layout& layout;
  const std::vector<int>& aggregators;
};

// The ranks that aggregate: spread over the nodes, and over the ranks of a node. Without a wish,
// each node has one per core as far as it has ranks. At least one, rising, each rank once.
[[nodiscard]] std::vector<int> choose_aggregators(const NodeMap& nodes,
                                                  const Preferences& preferences,
                                                  int cores_per_node);

// An aggregator's buffer without a wish.
[[nodiscard]] int64_t default_buffer_bytes(const NodeMap& nodes, const Layout& layout);

// True if a rank's pieces are so large, or so few, and lie so well, that they go straight to the
// file whatever the other ranks have to do.
[[nodiscard]] bool needs_no_help(const Access& access, const Site& site,
                                 const Preferences& preferences);

// The strategy of one call; the same on every rank because all decide on the same values.
// Two phases pay when the ranks' bytes interleave, and where ranks of several hosts read within one
// stripe; otherwise every rank does as well alone.
[[nodiscard]] Strategy choose_strategy(IoKind kind, const Summary& summary, const Site& site,
                                       const Preferences& preferences);

}  // namespace longshore
