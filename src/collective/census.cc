#include "collective/census.h"

#include <algorithm>
#include <array>
#include <limits>

#include "collective/tags.h"

namespace longshore {

namespace {

constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();
// So many tell each other everything: less than 5 KiB come to each.
constexpr int kFewRanks = 64;

bool meets(const Share& share, Extent domain) {
  return share.exchanges() && !intersect(share.hull, domain).empty();
}

Result<Census> gather_shares(Communicator& comm, const Share& own) {
  Census census{CensusKind::kGathered, own, {}, {}};
  std::vector<Share> shares(static_cast<size_t>(comm.size()));
  if (auto status = comm.all_gather(std::as_bytes(std::span(&own, 1)),
                                    std::as_writable_bytes(std::span(shares)));
      !status) {
    return fail(status.error());
  }
  for (int rank = 0; rank < comm.size(); ++rank) {
    const Share& share = shares[static_cast<size_t>(rank)];
    add(census.summary, share);
    if (share.exchanges()) {
      census.all.push_back({rank, share});
    }
  }
  return census;
}

// Begins and ends of extents as maxima; an empty one is nowhere.
int64_t begin_key(Extent extent) { return extent.empty() ? kNowhere : -extent.begin; }
int64_t end_key(Extent extent) { return extent.empty() ? kNowhere : extent.end; }
Extent from_keys(int64_t begin, int64_t end) {
  return begin == kNowhere ? Extent{} : Extent{-begin, end};
}

Result<Census> reduce_shares(Communicator& comm, const Share& own) {
  Summary mine;
  add(mine, own);
  std::array<int64_t, 8> most{static_cast<int64_t>(mine.worst),
                              mine.someone_cannot_be_served ? 1 : 0,
                              begin_key(mine.range),
                              end_key(mine.range),
                              begin_key(mine.touched),
                              end_key(mine.touched),
                              mine.someone_buffers ? 1 : 0,
                              mine.someone_unfinished ? 1 : 0};
  std::array<int64_t, 3> sums{mine.exchanging, mine.bytes, mine.hull_bytes};
  if (auto status = comm.all_max_and_sum(most, sums); !status) {
    return fail(status.error());
  }
  Census census{CensusKind::kReduced, own, {}, {}};
  census.summary.worst = static_cast<ErrorClass>(most[0]);
  census.summary.someone_cannot_be_served = most[1] != 0;
  census.summary.range = from_keys(most[2], most[3]);
  census.summary.touched = from_keys(most[4], most[5]);
  census.summary.someone_buffers = most[6] != 0;
  census.summary.someone_unfinished = most[7] != 0;
  census.summary.exchanging = sums[0];
  census.summary.bytes = sums[1];
  census.summary.hull_bytes = sums[2];
  return census;
}

// Each rank tells the aggregators that its bytes concern; these know from a sum how many will come.
Result<std::vector<Contributor>> by_message(Communicator& comm, const Share& own,
                                            const Partition& partition,
                                            const std::vector<int>& aggregators, int own_index) {
  std::vector<int64_t> comers(aggregators.size(), 0);
  for (size_t i = 0; i < aggregators.size(); ++i) {
    comers[i] = meets(own, partition.domain(static_cast<int>(i))) ? 1 : 0;
  }
  const auto concerned = comers;
  if (auto status = comm.all_sum(comers); !status) {
    return fail(status.error());
  }
  auto set = comm.messages();
  std::vector<Contributor> found(
      own_index < 0 ? 0 : static_cast<size_t>(comers[static_cast<size_t>(own_index)]));
  for (auto& each : found) {
    set->receive(std::as_writable_bytes(std::span(&each.share, 1)), MessageSet::kAnyRank,
                 kShareTag);
  }
  for (size_t i = 0; i < aggregators.size(); ++i) {
    if (concerned[i] != 0) {
      set->send(std::as_bytes(std::span(&own, 1)), aggregators[i], kShareTag);
    }
  }
  if (auto status = set->wait(); !status) {
    return fail(status.error());
  }
  for (size_t i = 0; i < found.size(); ++i) {
    found[i].rank = set->sender(static_cast<int>(i));
  }
  std::sort(found.begin(), found.end(),
            [](const Contributor& a, const Contributor& b) { return a.rank < b.rank; });
  return found;
}

}  // namespace

void add(Summary& summary, const Share& share) {
  summary.worst = std::max(summary.worst, share.error);
  summary.someone_cannot_be_served |= share.standing == Standing::kCannotBeServed;
  summary.someone_buffers |= share.buffers;
  summary.someone_unfinished |= share.unfinished();
  summary.touched = hull(summary.touched, share.hull);
  if (share.exchanges()) {
    ++summary.exchanging;
    summary.range = hull(summary.range, share.hull);
    summary.bytes += share.last - share.first;
    summary.hull_bytes += share.hull.length();
  }
}

CensusKind census_kind(const Communicator& comm) {
  const bool gathers = comm.nodes().nodes() == 1 || comm.size() <= kFewRanks;
  return gathers ? CensusKind::kGathered : CensusKind::kReduced;
}

Result<Census> take_census(Communicator& comm, const Share& own, CensusKind kind) {
  return kind == CensusKind::kGathered ? gather_shares(comm, own) : reduce_shares(comm, own);
}

Result<std::vector<Contributor>> find_contributors(Communicator& comm, const Census& census,
                                                   const Partition& partition,
                                                   const std::vector<int>& aggregators,
                                                   int own_index) {
  if (census.kind == CensusKind::kReduced) {
    return by_message(comm, census.own, partition, aggregators, own_index);
  }
  std::vector<Contributor> found;
  for (const auto& each : census.all) {
    if (own_index >= 0 && meets(each.share, partition.domain(own_index))) {
      found.push_back(each);
    }
  }
  return found;
}

}  // namespace longshore
