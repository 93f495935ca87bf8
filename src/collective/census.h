// collective/census.h - who takes part in a collective call, and with what.
//
// Few ranks, and those of one host, who see them in shared memory, learn of all shares: one step.
// Where many ranks lie on several hosts nobody learns of everybody: one reduction gives all ranks
// what they decide on, and then a rank tells its share only to the aggregators that its bytes
// concern. That is two steps more, but cost and memory are in the number of aggregators and, for an
// aggregator, of the ranks that come to it.
#pragma once
#include <cstdint>
#include <vector>

#include "collective/partition.h"
#include "collective/share.h"
#include "comm/communicator.h"
#include "core/result.h"

namespace longshore {

// What can be said of all shares together; equal on all ranks.
struct Summary {
  ErrorClass worst = ErrorClass::kOk;
  bool someone_cannot_be_served = false;
  bool someone_buffers = false;  // bytes that must be on storage before the call
  bool someone_unfinished = false;
  int64_t exchanging = 0;  // ranks that exchange; the rest is about them
  Extent range;            // of their bytes
  int64_t bytes = 0;
  int64_t hull_bytes = 0;  // their hulls' lengths added up
  Extent touched;          // of all ranks' bytes

  // Hulls that do not fit side by side into the range must overlap.
  [[nodiscard]] bool interleaved() const { return hull_bytes > range.length(); }
};

// `summary` with one more share.
void add(Summary& summary, const Share& share);

struct Contributor {
  int rank = 0;
  Share share;
};

enum class CensusKind { kGathered, kReduced };

// The same on all ranks.
[[nodiscard]] CensusKind census_kind(const Communicator& comm);

struct Census {
  CensusKind kind = CensusKind::kGathered;
  Share own;
  Summary summary;
  std::vector<Contributor> all;  // who exchange, if gathered
};

// Collective.
[[nodiscard]] Result<Census> take_census(Communicator& comm, const Share& own, CensusKind kind);

// Collective. Those whose bytes may lie in this rank's domain, in rank order; none if it does not
// aggregate (index -1).
[[nodiscard]] Result<std::vector<Contributor>> find_contributors(
    Communicator& comm, const Census& census, const Partition& partition,
    const std::vector<int>& aggregators, int own_index);

}  // namespace longshore
