// collective/view_cache.h - the other ranks' views, sent once and kept with the file.
//
// An aggregator must know where each rank's stream lies in the file. A view travels to it as a
// compressed tree, once; afterwards a call names it by fingerprint. Both ends keep the last
// kKeptPerPeer views of a pair in order of first use, so each knows what the other has without
// asking. Programs that set the same two views in turn (HDF5 does, around every transfer) ship each
// of them once.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "collective/census.h"
#include "collective/partition.h"
#include "collective/share.h"
#include "comm/communicator.h"
#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore {

class ViewCache {
 public:
  static constexpr size_t kKeptPerPeer = 8;

  // Bytes of the view's serialized form (for Share::view_bytes). Made once per view.
  [[nodiscard]] int64_t image_bytes(const TiledPattern& view);

  // Collective. Afterwards view_of(r) is valid on an aggregator for each of its contributors.
  [[nodiscard]] Status ship(Communicator& comm, const Access& mine, const Share& own,
                            std::span<const Contributor> contributors, const Partition& partition,
                            const std::vector<int>& aggregators);
  [[nodiscard]] const TiledPattern& view_of(int rank, uint64_t fingerprint) const;

 private:
  using Kept = std::deque<std::pair<uint64_t, TiledPattern>>;
  struct Arrival {
    Contributor from;
    std::vector<std::byte> image;
  };
  void send_mine(Communicator& comm, MessageSet& set, const Share& mine, const Partition& partition,
                 const std::vector<int>& aggregators);
  [[nodiscard]] std::vector<Arrival> expect(std::span<const Contributor> contributors,
                                            int own_rank) const;
  void keep(int rank, uint64_t fingerprint, TiledPattern view);

  uint64_t image_of_ = 0;
  std::vector<std::byte> image_;
  std::map<int, std::deque<uint64_t>> shipped_;  // by aggregator rank
  std::map<int, Kept> known_;                    // by rank
};

}  // namespace longshore
