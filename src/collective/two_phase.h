// collective/two_phase.h - collective transfers through aggregators.
//
// Each aggregator owns a part of the file and works through it in cycles, a buffer at a time. In a
// cycle of a write every rank brings each aggregator the bytes of its stream that lie in the
// aggregator's sections; the aggregator writes what was covered. A read is the same way backwards.
// Since views never step back, the bytes of a section are one range of a rank's stream: both ends
// compute it from the view, and no list of pieces is ever sent.
//
// Worked example: ranks 0 and 1 write blocks of 4 bytes in turn, 8 bytes each: offsets 0..3, 8..11
// and 4..7, 12..15. Two aggregators own [0,8) and [8,16). Rank 0's stream [0,4) goes to the first,
// [4,8) to the second; the first gets 4 bytes from each and writes [0,8) in one call.
//
// Who owns what is in partition.h, how bytes move in exchange.h, what overlaps in pipeline.h.
//
// Errors: an aggregator whose file fails goes on taking part without touching the file, so no rank
// is left waiting; at the end all ranks agree on the greatest class, and, in that case only, learn
// how many bytes of theirs are in the file.
#pragma once
#include <mutex>
#include <span>

#include "collective/census.h"
#include "collective/strategy.h"
#include "collective/view_cache.h"
#include "collective/workspace.h"
#include "comm/communicator.h"
#include "storage/storage.h"

namespace longshore {

struct TwoPhaseParts {
  Communicator& comm;
  Storage& storage;
  ViewCache& views;
  Workspace& workspace;
  std::mutex* write_locks = nullptr;  // set if others may sieve writes: see write_pieces()
  Status before;  // an error of this rank, found before, in which the others shall share
};

// Collective: all ranks with the same `strategy` and their sides of one census; `mine` is empty if
// the rank's share does not exchange. The outcome's class is the same everywhere, its bytes are the
// rank's own. REQUIRES: no share has an error.
Outcome run_two_phase(TwoPhaseParts parts, const Access& mine, const Census& census,
                      Strategy strategy);

}  // namespace longshore
