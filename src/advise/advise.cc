#include "advise/advise.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longshore {

namespace {

// How many of `wanted` each node gives: in turn, as far as it has ranks under its limit.
std::vector<int> deal(const std::vector<std::vector<int>>& ranks, int wanted, int limit) {
  std::vector<int> given(ranks.size(), 0);
  for (bool some = true; some && wanted > 0;) {
    some = false;
    for (size_t node = 0; node < ranks.size() && wanted > 0; ++node) {
      if (given[node] < std::min(limit, static_cast<int>(ranks[node].size()))) {
        ++given[node];
        --wanted;
        some = true;
      }
    }
  }
  return given;
}

// Pieces of this size cost no more on their own than as part of something larger: over a network,
// and where one host has the file system for itself and its cache takes a call in a microsecond,
// which is less than copying such a piece once more.
constexpr int64_t kDirectPieceBytes = 256 * 1024;
constexpr int64_t kDirectCachedPieceBytes = 8 * 1024;
// Messages between hosts that are gathered; larger ones go as fast alone.
constexpr int64_t kGatheredMessageBytes = 16 * 1024;
// A call is sparse if fewer than one byte in so many is touched. The second is for reads over hosts
// of a striped file: there a rank waits for a server piece by piece, and exchanging is cheaper.
constexpr int64_t kSparseness = 16;
constexpr int64_t kDistantReadSparseness = 64;
// A buffer that is filled and drained in the cache: what one core's share of it holds.
constexpr int64_t kCachedBufferBytes = 1 << 20;
// Where the exchange crosses a network, and storage another one, the two overlap only if a call has
// several cycles. A stripe is not cut without need.
constexpr int64_t kNetworkBufferBytes = 2 << 20;
constexpr int64_t kLargestBuffer = 16 << 20;

bool is_sparse(IoKind kind, const Summary& summary, const Site& site) {
  const bool distant = kind == IoKind::kRead && site.layout.striped && site.nodes.nodes() > 1;
  return summary.bytes < summary.range.length() / (distant ? kDistantReadSparseness : kSparseness);
}

// All ranks would ask one server at the same time, each for a little, and wait for all its answers.
// One request brings the whole, and a file system's client reads ahead of one that reads all.
// Writes are not waited for, and go as fast alone.
bool reads_one_stripe(IoKind kind, const Summary& summary, const Site& site) {
  return kind == IoKind::kRead && site.layout.striped && site.nodes.nodes() > 1 &&
         summary.exchanging > 1 && summary.range.length() <= site.layout.stripe_bytes;
}

// Whether to aggregate, and why.
std::pair<bool, const char*> aggregate(IoKind kind, const Summary& summary, const Site& site,
                                       const Preferences& preferences) {
  const Choice wish =
      kind == IoKind::kRead ? preferences.collective_read : preferences.collective_write;
  if (wish == Choice::kDisable) {
    return {false, "collective buffering is disabled by hint"};
  }
  if (summary.someone_cannot_be_served) {
    return {false, "a view reads some bytes twice"};
  }
  if (wish == Choice::kEnable) {
    return {true, "collective buffering is enabled by hint"};
  }
  if (summary.exchanging == 0) {
    return {false, "every rank's pieces are large enough to need no help"};
  }
  const bool one_stripe = reads_one_stripe(kind, summary, site);
  if (!summary.interleaved() && !one_stripe) {
    return {false, "the ranks' bytes do not interleave"};
  }
  if (preferences.sparse == Choice::kEnable) {
    return {false, "sparse access by hint: every rank for itself"};
  }
  if (is_sparse(kind, summary, site) && preferences.sparse == Choice::kAutomatic) {
    return {false, "the bytes lie too far apart to be joined"};
  }
  return {true, summary.interleaved() ? "the ranks' bytes interleave"
                                      : "all ranks read within one stripe"};
}

PartitionTerms choose_partition(const Site& site, const Preferences& preferences) {
  PartitionTerms terms;
  terms.aggregators = static_cast<int>(site.aggregators.size());
  terms.window_bytes = preferences.buffer_bytes > 0 ? preferences.buffer_bytes
                                                    : default_buffer_bytes(site.nodes, site.layout);
  terms.stripe_bytes = site.layout.stripe_bytes;
  terms.targets = site.layout.targets;
  terms.stripes = site.layout.map;
  terms.targets_per_aggregator = preferences.targets_per_aggregator;
  switch (preferences.partition) {
    case PartitionChoice::kAutomatic:
      terms.kind = site.layout.striped ? PartitionKind::kAligned : PartitionKind::kEven;
      break;
    case PartitionChoice::kEven: terms.kind = PartitionKind::kEven; break;
    case PartitionChoice::kAligned: terms.kind = PartitionKind::kAligned; break;
    case PartitionChoice::kCyclic: terms.kind = PartitionKind::kCyclic; break;
    case PartitionChoice::kOneToK: terms.kind = PartitionKind::kOneToK; break;
  }
  return terms;
}

// Gathering saves messages and costs a step of the host's ranks: it pays while messages are so
// small that their number counts, and some host has several to gather.
bool gathering_pays(const Site& site, const Summary& summary, const PartitionTerms& partition) {
  const auto ranks = static_cast<int64_t>(site.nodes.node_of_rank.size());
  const int64_t of_aggregator = summary.bytes / std::max(1, partition.aggregators);
  const int64_t message = std::min(of_aggregator, partition.window_bytes) / ranks;
  return site.nodes.nodes() > 1 && ranks > site.nodes.nodes() && message <= kGatheredMessageBytes;
}

// Within a node, and between nodes.
std::pair<ExchangeKind, ExchangeKind> choose_exchange(ExchangeChoice wish, bool gathering) {
  using enum ExchangeKind;
  switch (wish) {
    case ExchangeChoice::kAutomatic: return {kShm, gathering ? kGathered : kTwoSided};
    case ExchangeChoice::kShm: return {kShm, kTwoSided};
    case ExchangeChoice::kTwoSided: return {kTwoSided, kTwoSided};
    case ExchangeChoice::kRmaFence: return {kRmaFence, kRmaFence};
    case ExchangeChoice::kRmaLock: return {kRmaLock, kRmaLock};
    case ExchangeChoice::kShmRmaFence: return {kShm, kRmaFence};
    case ExchangeChoice::kShmRmaLock: return {kShm, kRmaLock};
    case ExchangeChoice::kShmGathered: return {kShm, kGathered};
  }
  return {kShm, kTwoSided};
}

// A local file is mostly a copy to or from the page cache, done by the core that asks: a thread of
// its own for that only adds switches. What waits for a network goes on behind the exchange.
PipelineKind choose_pipeline(const Site& site, PipelineChoice wish) {
  const bool local = site.nodes.nodes() == 1 && !site.layout.striped;
  switch (wish) {
    case PipelineChoice::kAutomatic: return local ? PipelineKind::kComm : PipelineKind::kWriteComm2;
    case PipelineChoice::kNone: return PipelineKind::kNone;
    case PipelineChoice::kComm: return PipelineKind::kComm;
    case PipelineChoice::kWrite: return PipelineKind::kWrite;
    case PipelineChoice::kWriteComm: return PipelineKind::kWriteComm;
    case PipelineChoice::kWriteComm2: return PipelineKind::kWriteComm2;
  }
  return PipelineKind::kNone;
}

}  // namespace

std::vector<int> choose_aggregators(const NodeMap& nodes, const Preferences& preferences,
                                    int cores_per_node) {
  const auto ranks = ranks_by_node(nodes);
  const int all = static_cast<int>(nodes.node_of_rank.size());
  const bool wish = preferences.aggregators > 0;
  int limit = preferences.aggregators_per_node > 0 ? preferences.aggregators_per_node : all;
  limit = wish ? limit : std::min(limit, std::max(1, cores_per_node));
  const auto given = deal(ranks, wish ? preferences.aggregators : all, limit);
  std::vector<int> chosen;
  for (size_t node = 0; node < ranks.size(); ++node) {
    const auto there = static_cast<int64_t>(ranks[node].size());
    for (int64_t i = 0; i < given[node]; ++i) {
      chosen.push_back(ranks[node][static_cast<size_t>(i * there / given[node])]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

int64_t default_buffer_bytes(const NodeMap& nodes, const Layout& layout) {
  if (nodes.nodes() == 1 && !layout.striped) {
    return kCachedBufferBytes;
  }
  return std::clamp(layout.stripe_bytes, kNetworkBufferBytes, kLargestBuffer);
}

bool needs_no_help(const Access& access, const Site& site, const Preferences& preferences) {
  const Layout& layout = site.layout;
  const Choice wish =
      access.kind == IoKind::kRead ? preferences.collective_read : preferences.collective_write;
  if (wish == Choice::kEnable || access.bytes() == 0) {
    return false;
  }
  const Extent hull = access.view.hull_of(access.first, access.last);
  const Pattern& tile = access.view.tile();
  const bool whole = hull.length() == access.bytes();
  const int64_t piece = whole ? access.bytes() : tile.size() / std::max<int64_t>(1, tile.pieces());
  if (!layout.striped && site.nodes.nodes() == 1) {
    return whole || piece >= kDirectCachedPieceBytes;
  }
  if (!layout.striped) {
    return piece >= kDirectPieceBytes;
  }
  return whole && hull.begin % layout.stripe_bytes == 0 && hull.end % layout.stripe_bytes == 0;
}

Strategy choose_strategy(IoKind kind, const Summary& summary, const Site& site,
                         const Preferences& preferences) {
  Strategy strategy;
  std::tie(strategy.two_phase, strategy.reason) = aggregate(kind, summary, site, preferences);
  if (!strategy.two_phase) {
    return strategy;
  }
  strategy.aggregators = site.aggregators;
  strategy.partition = choose_partition(site, preferences);
  std::tie(strategy.near, strategy.far) =
      choose_exchange(preferences.exchange, gathering_pays(site, summary, strategy.partition));
  strategy.pipeline = choose_pipeline(site, preferences.pipeline);
  return strategy;
}

}  // namespace longshore
