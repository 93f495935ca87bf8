// advise/cost.h - what a call would cost, by an analytic model: a prediction, and a rough one.
//
// A transfer pays for its bytes at the narrowest place (the client hosts' links to storage, or the
// targets), and for its calls on the hosts that make them, which the cores of a host make at the
// same time. Two phases add the exchange: bytes copied by the cores of a host, bytes over the
// hosts' links, and messages; and cycles, in which exchange and storage overlap as the pipeline
// lets them.
//
// Worked example: 4 ranks on a host with 2 cores write 1 MB each in 1000 pieces to a local file,
// with local_call_us 5, local_piece_us 1, local_client_mb_s = local_target_mb_s 2500. As a list
// each rank has 5 + 999 us of calls, two ranks at a time: 2.0 ms; 4 MB at 2500 MB/s: 1.6 ms. In
// all 3.6.
//
// What it does not know: contention for locks, other users, caches, how regular a pattern is.
#pragma once
#include <cstdint>

#include "advise/profile.h"
#include "collective/strategy.h"
#include "comm/communicator.h"
#include "core/extent.h"
#include "independent/way.h"
#include "layout/layout.h"

namespace longshore {

// One call of all ranks, or one call by each of them.
struct CallShape {
  IoKind kind = IoKind::kWrite;
  int64_t bytes_per_rank = 0;
  int64_t pieces_per_rank = 1;  // in the file
  int64_t hull_per_rank = 0;    // from a rank's first byte to its last
  Extent range;                 // of all ranks
};

struct Terrain {
  const NodeMap& nodes;
  const Layout& layout;
  int cores_per_node = 1;
  Profile profile;
};

// Milliseconds of one call, and what they are made of.
struct Cost {
  double plan_ms = 0;      // steps of all ranks
  double exchange_ms = 0;  // between ranks, copies into pages included
  double calls_ms = 0;     // of storage: latency
  double bytes_ms = 0;     // of storage: bandwidth
  double total_ms = 0;     // less than the sum where things overlap
};

// Every rank for itself. `page_bytes` matters for Way::kPages only.
[[nodiscard]] Cost predict_alone(const CallShape& shape, const Terrain& terrain, Way way,
                                 int64_t page_bytes);
// REQUIRES: strategy.two_phase.
[[nodiscard]] Cost predict_two_phase(const CallShape& shape, const Terrain& terrain,
                                     const Strategy& strategy);

}  // namespace longshore
