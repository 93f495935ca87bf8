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

Status ViewCache::ship(Communicator& comm, const Access& mine, const Share& own,
                       std::span<const Contributor> contributors, const Partition& partition,
                       const std::vector<int>& aggregators) {
  const int rank = comm.rank();
  auto set = comm.messages();
  auto arrivals = expect(contributors, rank);
  if (own.exchanges()) {
    keep(rank, own.view, mine.view);
  }
  for (auto& arrival : arrivals) {
    set->receive(arrival.image, arrival.from.rank, kViewTag);
  }
  send_mine(comm, *set, own, partition, aggregators);
  if (auto status = set->wait(); !status) {
    return status;
  }
  for (auto& arrival : arrivals) {
    auto view = TiledPattern::deserialize(arrival.image);
    if (!view) {
      return fail(view.error());
    }
    keep(arrival.from.rank, arrival.from.share.view, std::move(*view));
  }
  return {};
}

void ViewCache::send_mine(Communicator& comm, MessageSet& set, const Share& mine,
                          const Partition& partition, const std::vector<int>& aggregators) {
  for (int index = 0; index < partition.aggregators(); ++index) {
    const int to = aggregators[static_cast<size_t>(index)];
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

std::vector<ViewCache::Arrival> ViewCache::expect(std::span<const Contributor> contributors,
                                                  int own_rank) const {
  std::vector<Arrival> arrivals;
  for (const auto& each : contributors) {
    const auto kept = known_.find(each.rank);
    const bool have = kept != known_.end() &&
                      std::any_of(kept->second.begin(), kept->second.end(),
                                  [&](const auto& pair) { return pair.first == each.share.view; });
    if (!have && each.rank != own_rank) {
      arrivals.push_back(
          {each, std::vector<std::byte>(static_cast<size_t>(each.share.view_bytes))});
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
