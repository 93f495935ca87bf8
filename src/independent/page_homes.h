// independent/page_homes.h - which rank owns a page.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/communicator.h"

namespace longshore {

// Pages go round robin over the agents (prost-2000, liao-2007); a page lies in the memory of its
// owner's node.
class PageHomes {
 public:
  // REQUIRES: at least one agent; on some node `rank` may have none.
  PageHomes(std::vector<int> agents, const NodeMap& nodes, int rank) : agents_(std::move(agents)) {
    const auto node = [&](int of) { return nodes.node_of_rank[static_cast<size_t>(of)]; };
    std::vector<bool> reached(static_cast<size_t>(nodes.nodes()), false);
    for (const int agent : agents_) {
      const bool here = node(agent) == node(rank);
      here_.push_back(here);
      if (!here && !reached[static_cast<size_t>(node(agent))]) {
        reached[static_cast<size_t>(node(agent))] = true;
        others_.push_back(agent);
      }
    }
  }

  [[nodiscard]] int owner(int64_t page) const { return agents_[index(page)]; }
  // True if the page lies in this node's memory.
  [[nodiscard]] bool here(int64_t page) const { return here_[index(page)]; }
  // One agent of each other node that has any.
  [[nodiscard]] const std::vector<int>& others() const { return others_; }

 private:
  [[nodiscard]] size_t index(int64_t page) const {
    return static_cast<size_t>(page % static_cast<int64_t>(agents_.size()));
  }
  std::vector<int> agents_;
  std::vector<bool> here_;
  std::vector<int> others_;
};

}  // namespace longshore
