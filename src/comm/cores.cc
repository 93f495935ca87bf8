#include "comm/cores.h"

#include <sched.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

namespace longshore {

CoreSet cores_of_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return {std::max<int64_t>(1, std::thread::hardware_concurrency()), 0};
  }
  const std::string_view bytes(reinterpret_cast<const char*>(&set), sizeof set);
  return {std::max<int64_t>(1, CPU_COUNT(&set)), std::hash<std::string_view>{}(bytes)};
}

int fewest_cores(const NodeMap& nodes, std::span<const CoreSet> of_ranks) {
  std::vector<std::map<uint64_t, int64_t>> sets(static_cast<size_t>(nodes.nodes()));
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const auto node = static_cast<size_t>(nodes.node_of_rank[rank]);
    sets[node][of_ranks[rank].which] = of_ranks[rank].count;
  }
  int64_t fewest = std::numeric_limits<int>::max();
  for (const auto& of_node : sets) {
    int64_t cores = 0;
    for (const auto& [which, count] : of_node) {
      cores += count;
    }
    fewest = std::min(fewest, cores);
  }
  return static_cast<int>(fewest);
}

}  // namespace longshore
