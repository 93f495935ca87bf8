#include "collective/view_cache.h"

#include <algorithm>

#include "collective/tags.h"

namespace longshore {

namespace {

bool meets(const Share& share, Extent domain) {
  return share.exchanges() && !intersect(share.hull, domain).empty();
}

}  // namespace

int64_t ViewCache::image_bytes(const TiledPattern& view) {
  if (image_.empty() || image_of_ != view.fingerprint()) {
    image_ = view.serialize();
    image_of_ = view.fingerprint();
  }
  return static_cast<int64_t>(image_.size());
}

Status ViewCache::ship(Communicator& comm, const Access& mine, std::span<const Share> shares,
                       const Strategy& strategy, const Partition& partition) {
  const int rank = comm.rank();
  const Share& own = shares[static_cast<size_t>(rank)];
  auto set = comm.messages();
  std::vector<Arrival> arrivals;
  const auto place = std::find(strategy.aggregators.begin(), strategy.aggregators.end(), rank);
  if (place != strategy.aggregators.end()) {
    const auto index = static_cast<int>(place - strategy.aggregators.begin());
    arrivals = expect(shares, rank, partition.domain(index));
    if (own.exchanges()) {
      keep(rank, own.view, mine.view);
    }
  }
  for (auto& arrival : arrivals) {
    set->receive(arrival.image, arrival.rank, kViewTag);
  }
  send_mine(comm, *set, own, strategy, partition);
  if (auto status = set->wait(); !status) {
    return status;
  }
  for (auto& arrival : arrivals) {
    auto view = TiledPattern::deserialize(arrival.image);
    if (!view) {
      return fail(view.error());
    }
    keep(arrival.rank, shares[static_cast<size_t>(arrival.rank)].view, std::move(*view));
  }
  return {};
}

void ViewCache::send_mine(Communicator& comm, MessageSet& set, const Share& mine,
                          const Strategy& strategy, const Partition& partition) {
  for (int index = 0; index < partition.aggregators(); ++index) {
    const int to = strategy.aggregators[static_cast<size_t>(index)];
    auto& shipped = shipped_[to];
    const bool known = std::find(shipped.begin(), shipped.end(), mine.view) != shipped.end();
    if (to == comm.rank() || known || !meets(mine, partition.domain(index))) {
      continue;
    }
    set.send(image_, to, kViewTag);
    shipped.push_back(mine.view);
    if (shipped.size() > kKeptPerPeer) {
      shipped.pop_front();
    }
  }
}

std::vector<ViewCache::Arrival> ViewCache::expect(std::span<const Share> shares, int own_rank,
                                                  Extent domain) const {
  std::vector<Arrival> arrivals;
  for (int rank = 0; rank < static_cast<int>(shares.size()); ++rank) {
    const Share& share = shares[static_cast<size_t>(rank)];
    if (rank == own_rank || !meets(share, domain)) {
      continue;
    }
    const auto kept = known_.find(rank);
    const bool have = kept != known_.end() &&
                      std::any_of(kept->second.begin(), kept->second.end(),
                                  [&](const auto& pair) { return pair.first == share.view; });
    if (!have) {
      arrivals.push_back({rank, std::vector<std::byte>(static_cast<size_t>(share.view_bytes))});
    }
  }
  return arrivals;
}

void ViewCache::keep(int rank, uint64_t fingerprint, TiledPattern view) {
  auto& kept = known_[rank];
  if (std::any_of(kept.begin(), kept.end(),
                  [&](const auto& pair) { return pair.first == fingerprint; })) {
    return;
  }
  kept.emplace_back(fingerprint, std::move(view));
  if (kept.size() > kKeptPerPeer) {
    kept.pop_front();
  }
}

const TiledPattern& ViewCache::view_of(int rank, uint64_t fingerprint) const {
  const auto& kept = known_.at(rank);
  return std::find_if(kept.begin(), kept.end(),
                      [&](const auto& pair) { return pair.first == fingerprint; })
      ->second;
}

}  // namespace longshore
