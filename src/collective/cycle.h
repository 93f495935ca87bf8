// collective/cycle.h - who moves which bytes in one cycle of a collective transfer.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collective/census.h"
#include "collective/partition.h"
#include "collective/share.h"
#include "collective/strategy.h"
#include "collective/view_cache.h"
#include "collective/window.h"
#include "independent/access.h"
#include "storage/storage.h"

namespace longshore {

// Our bytes in one section of an aggregator; none if only our hull meets it.
struct Outgoing {
  int aggregator = 0;  // index among the aggregators
  int rank = 0;        // its rank
  Section section;
  Extent positions;       // of our stream
  bool gathered = false;  // goes with those of our node's other ranks
};

struct Cycle {
  int64_t index = 0;
  int slot = 0;  // which of the buffers
  std::vector<Outgoing> outgoing;
  std::vector<Window> windows;  // our own sections, if we aggregate
  // Of the bytes loaded, those before this file offset are the file's.
  int64_t valid_end = 0;
  std::vector<IoPiece> pieces;  // what storage moves
  std::unique_ptr<PendingIo> pending;

  // True if some rank has bytes in our windows.
  [[nodiscard]] bool has_parts() const;
};

// The stream positions of a share whose bytes lie in `window`.
[[nodiscard]] Extent positions_in(const TiledPattern& view, const Share& share, Extent window);

// A call's plan, the same on all ranks as far as they know the same.
struct CallPlan {
  const Access& mine;
  const Share& own;
  std::span<const Contributor> contributors;  // to our domain, in rank order
  const Strategy& strategy;
  const Partition& partition;
  const ViewCache& views;
  int rank = 0;
  int my_index = -1;  // among the aggregators
  // A read in which aggregators load whole windows and ranks help themselves: the aggregators need
  // no one's view.
  bool blind = false;
  // No other rank than an aggregator can fail: what these tell is the outcome.
  bool aggregators_tell = false;

  [[nodiscard]] std::vector<Outgoing> outgoing(int64_t cycle) const;
  [[nodiscard]] std::vector<Window> windows(int64_t cycle, std::byte* buffer) const;
  // The program's memory of stream positions. REQUIRES: contiguous memory.
  [[nodiscard]] std::span<std::byte> memory_at(Extent positions) const;
  // Our bytes as they lie in a section, offset 0 being the section's begin.
  [[nodiscard]] Pattern place_of(const Outgoing& bytes) const;
  // How many of the positions of our stream, or of a part's, lie before a file offset.
  [[nodiscard]] int64_t bytes_before(Extent positions, int64_t end) const;
  [[nodiscard]] int64_t bytes_before(const Part& part, int64_t end) const;
};

// Copies between the program's memory and a section's memory, straight: no buffer in between.
void place(const CallPlan& plan, const Outgoing& own, std::byte* section);
void take(const CallPlan& plan, const Outgoing& own, int64_t bytes, const std::byte* section);

}  // namespace longshore
