#include "advise/cost.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace longshore {

namespace {

constexpr double kMegabyte = 1e6;
constexpr double kUsPerMs = 1000;
constexpr int64_t kShipmentBytes = 64 * 1024;  // what one message between page owners carries

double ms_of(double bytes, double mb_s) { return bytes / kMegabyte / mb_s * 1000; }

// Numbers that all formulas need.
struct Terms {
  Terms(const CallShape& call, const Terrain& place)
      : shape(call),
        terrain(place),
        remote(place.layout.striped || place.nodes.nodes() > 1),
        storage(remote ? place.profile.remote : place.profile.local),
        ranks(static_cast<double>(place.nodes.node_of_rank.size())),
        hosts(static_cast<double>(place.nodes.nodes())),
        bytes(static_cast<double>(call.bytes_per_rank) * ranks) {}

  // Ranks of a host that make progress at the same time. A client waits for servers without a core.
  [[nodiscard]] double at_once(double on_host) const {
    return remote ? on_host : std::min<double>(on_host, terrain.cores_per_node);
  }
  [[nodiscard]] double storage_ms(double moved, double clients) const {
    const double most =
        std::min(clients * storage.client_mb_s, terrain.layout.targets * storage.target_mb_s);
    return ms_of(moved, most);
  }
  [[nodiscard]] double far_share() const { return 1 - 1 / hosts; }
  // A step of all ranks, over hosts in a tree.
  [[nodiscard]] double step_ms() const {
    const auto& profile = terrain.profile;
    return (profile.step_us + std::ceil(std::log2(hosts)) * profile.network_us) / kUsPerMs;
  }

  const CallShape& shape;
  const Terrain& terrain;
  bool remote;
  const StorageCosts& storage;
  double ranks;
  double hosts;
  double bytes;
};

double list_calls_us(const Terms& terms) {
  return terms.storage.call_us +
         static_cast<double>(terms.shape.pieces_per_rank - 1) * terms.storage.piece_us;
}

// What is asked of storage when pieces were joined in pages: whole pages where the ranks fill them.
double paged_calls_us(const Terms& terms, int64_t page_bytes) {
  const double range = static_cast<double>(terms.shape.range.length());
  const double pages = std::max(1.0, range / static_cast<double>(page_bytes));
  const double holes =
      terms.bytes < range
          ? terms.ranks * static_cast<double>(terms.shape.pieces_per_rank) * terms.storage.piece_us
          : 0;
  return (pages * terms.storage.call_us + holes) / terms.ranks;
}

double page_copies_ms(const Terms& terms) {
  const auto& profile = terms.terrain.profile;
  const double per_host = terms.ranks / terms.hosts;
  const double finding_us = static_cast<double>(terms.shape.pieces_per_rank) * profile.page_us;
  const double near = (finding_us / kUsPerMs +
                       ms_of(static_cast<double>(terms.shape.bytes_per_rank), profile.copy_mb_s)) *
                      per_host / terms.at_once(per_host);
  const double far_bytes = terms.bytes * terms.far_share() / terms.hosts;
  const double shipments = far_bytes / kShipmentBytes;
  return near + ms_of(far_bytes, profile.network_mb_s) + shipments * profile.network_us / kUsPerMs;
}

// The aggregators that a host has, and how many hosts have some.
double hosts_with(const Strategy& strategy, const NodeMap& nodes) {
  std::set<int> hosts;
  for (const int rank : strategy.aggregators) {
    hosts.insert(nodes.node_of_rank[static_cast<size_t>(rank)]);
  }
  return static_cast<double>(std::max<size_t>(1, hosts.size()));
}

// Bytes between hosts: the messages that an aggregator has with ranks of others, or with hosts.
double far_exchange_ms(const Terms& terms, const Strategy& strategy, double cycles) {
  const auto& profile = terms.terrain.profile;
  const double far_bytes = terms.bytes * terms.far_share() / terms.hosts;
  const double per_host = terms.ranks / terms.hosts;
  const double total = ms_of(far_bytes, profile.network_mb_s);
  const double message_ms =
      cycles * profile.network_us / kUsPerMs / hosts_with(strategy, terms.terrain.nodes);
  if (strategy.far == ExchangeKind::kGathered) {
    // Through trays: one copy more.
    return total + (terms.hosts - 1) * message_ms +
           ms_of(far_bytes, profile.copy_mb_s) /
               std::min<double>(per_host, terms.terrain.cores_per_node);
  }
  const bool steps = strategy.far != ExchangeKind::kTwoSided;
  return total + (terms.ranks - per_host) * message_ms + (steps ? cycles * 2 * terms.step_ms() : 0);
}

// Bytes between ranks of a host, and between hosts.
double exchange_ms(const Terms& terms, const Strategy& strategy, double cycles) {
  const auto& profile = terms.terrain.profile;
  const double near_bytes = terms.bytes * (1 - terms.far_share());
  const double per_host = terms.ranks / terms.hosts;
  const double copying = ms_of(near_bytes / terms.hosts, profile.copy_mb_s) /
                         std::min<double>(per_host, terms.terrain.cores_per_node);
  double total = copying;
  if (strategy.near != ExchangeKind::kShm) {
    // Packed, sent, and put in place: one copy more, and a message per rank of the host and cycle.
    total += copying + cycles * per_host * profile.message_us / kUsPerMs;
    total += strategy.near == ExchangeKind::kTwoSided ? 0 : cycles * 2 * terms.step_ms();
  }
  return terms.hosts > 1 ? total + far_exchange_ms(terms, strategy, cycles) : total;
}

// Storage calls of an aggregator in a cycle: sections, or pieces where the ranks leave holes.
double sections_per_cycle(const Terms& terms, const Strategy& strategy) {
  const auto& partition = strategy.partition;
  const auto stripes = static_cast<double>(partition.window_bytes) /
                       static_cast<double>(std::max<int64_t>(1, partition.stripe_bytes));
  const bool contiguous = partition.kind <= PartitionKind::kAligned;
  return contiguous || !terms.remote ? 1 : std::max(1.0, stripes);
}

// Two aggregators meet in a stripe where cuts are not on stripes: each waits for the other's lock.
double shared_stripes_ms(const Terms& terms, const Strategy& strategy) {
  const bool cuts = terms.terrain.layout.striped &&
                    strategy.partition.kind == PartitionKind::kEven &&
                    strategy.aggregators.size() > 1;
  return cuts ? 2 * terms.storage.call_us / kUsPerMs : 0;
}

// n cycles of exchange x and storage s.
double overlapped(const Terms& terms, PipelineKind pipeline, double cycles, double x, double s) {
  if (pipeline == PipelineKind::kNone || cycles <= 1) {
    return cycles * (x + s);
  }
  const double switches =
      stores_in_background(pipeline) ? cycles * terms.terrain.profile.switch_us / kUsPerMs : 0;
  if (!terms.remote) {
    return cycles * (x + s) + switches;  // both are work of the same cores
  }
  return x + s + (cycles - 1) * std::max(x, s) + switches;
}

}  // namespace

Cost predict_alone(const CallShape& shape, const Terrain& terrain, Way way, int64_t page_bytes) {
  const Terms terms(shape, terrain);
  const double per_host = terms.ranks / terms.hosts;
  const double waves = per_host / terms.at_once(per_host);
  Cost cost;
  double calls_us = terms.storage.call_us;
  double moved = terms.bytes;
  if (way == Way::kList) {
    calls_us = list_calls_us(terms);
  } else if (way == Way::kPages) {
    calls_us = paged_calls_us(terms, page_bytes);
    cost.exchange_ms = page_copies_ms(terms);
  } else if (way == Way::kSieve) {
    const bool writes = shape.kind == IoKind::kWrite;
    moved = static_cast<double>(shape.hull_per_rank) * terms.ranks * (writes ? 2 : 1);
    calls_us *= writes ? 3 : 1;  // lock, read, write
    cost.exchange_ms =
        ms_of(static_cast<double>(shape.bytes_per_rank), terrain.profile.copy_mb_s) * waves;
  }
  cost.calls_ms = calls_us * waves / kUsPerMs;
  cost.bytes_ms = terms.storage_ms(moved, terms.hosts);
  cost.total_ms = cost.exchange_ms + cost.calls_ms + cost.bytes_ms;
  return cost;
}

Cost predict_two_phase(const CallShape& shape, const Terrain& terrain, const Strategy& strategy) {
  const Terms terms(shape, terrain);
  const auto count = static_cast<double>(strategy.aggregators.size());
  const double range = static_cast<double>(shape.range.length());
  const double cycles = std::max(
      1.0, std::ceil(range / count / static_cast<double>(strategy.partition.window_bytes)));
  const double busy_hosts = hosts_with(strategy, terrain.nodes);
  const double waves = count / busy_hosts / terms.at_once(count / busy_hosts);
  const double holes = terms.bytes < range
                           ? terms.ranks * static_cast<double>(shape.pieces_per_rank) / count *
                                 terms.storage.piece_us
                           : 0;
  Cost cost;
  cost.plan_ms = 3 * terms.step_ms();
  cost.exchange_ms = exchange_ms(terms, strategy, cycles);
  cost.calls_ms = (cycles * sections_per_cycle(terms, strategy) * terms.storage.call_us + holes) *
                      waves / kUsPerMs +
                  shared_stripes_ms(terms, strategy);
  cost.bytes_ms = terms.storage_ms(terms.bytes, busy_hosts);
  cost.total_ms =
      cost.plan_ms + overlapped(terms, strategy.pipeline, cycles, cost.exchange_ms / cycles,
                                (cost.calls_ms + cost.bytes_ms) / cycles);
  return cost;
}

}  // namespace longshore
