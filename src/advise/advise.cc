#include "advise/advise.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longshore {

namespace {

std::vector<std::vector<int>> ranks_by_node(const NodeMap& nodes) {
  std::vector<std::vector<int>> ranks(static_cast<size_t>(nodes.nodes()));
  for (size_t rank = 0; rank < nodes.node_of_rank.size(); ++rank) {
    ranks[static_cast<size_t>(nodes.node_of_rank[rank])].push_back(static_cast<int>(rank));
  }
  return ranks;
}

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

bool interleaved(std::span<const Share> shares) {
  std::vector<Extent> hulls;
  for (const auto& share : shares) {
    if (share.exchanges()) {
      hulls.push_back(share.hull);
    }
  }
  std::sort(hulls.begin(), hulls.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < hulls.size(); ++i) {
    if (hulls[i].begin < hulls[i - 1].end) {
      return true;
    }
  }
  return false;
}

bool someone_reads_alone(std::span<const Share> shares) {
  return std::any_of(shares.begin(), shares.end(), [](const Share& s) { return s.alone != 0; });
}

// Whether to aggregate, and why.
std::pair<bool, const char*> aggregate(std::span<const Share> shares, Choice wish) {
  if (wish == Choice::kDisable) {
    return {false, "collective buffering is disabled by hint"};
  }
  if (someone_reads_alone(shares)) {
    return {false, "a view reads some bytes twice"};
  }
  if (wish == Choice::kEnable) {
    return {true, "collective buffering is enabled by hint"};
  }
  if (!interleaved(shares)) {
    return {false, "the ranks' bytes do not interleave"};
  }
  return {true, "the ranks' bytes interleave"};
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

Strategy choose_strategy(IoKind kind, std::span<const Share> shares,
                         const std::vector<int>& aggregators, const Layout& layout,
                         const Preferences& preferences) {
  Strategy strategy;
  const Choice wish =
      kind == IoKind::kRead ? preferences.collective_read : preferences.collective_write;
  std::tie(strategy.two_phase, strategy.reason) = aggregate(shares, wish);
  if (!strategy.two_phase) {
    return strategy;
  }
  strategy.aggregators = aggregators;
  strategy.buffer_bytes = preferences.buffer_bytes;
  strategy.stripe_bytes = layout.stripe_bytes;
  const bool aligned = preferences.partition == PartitionChoice::kAligned ||
                       (preferences.partition == PartitionChoice::kAutomatic && layout.striped);
  strategy.partition = aligned ? PartitionKind::kAligned : PartitionKind::kEven;
  return strategy;
}

}  // namespace longshore
