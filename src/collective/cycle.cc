#include "collective/cycle.h"

#include <algorithm>

namespace longshore {

bool Cycle::has_parts() const {
  return std::any_of(windows.begin(), windows.end(),
                     [](const Window& window) { return !window.parts().empty(); });
}

Extent positions_in(const TiledPattern& view, const Share& share, Extent window) {
  const Extent common = intersect(window, share.hull);
  if (common.empty() || !share.exchanges()) {
    return {};
  }
  const int64_t first =
      common.begin <= share.hull.begin ? share.first : view.position_of(common.begin);
  const int64_t last = common.end >= share.hull.end ? share.last : view.position_of(common.end);
  return {std::max(first, share.first), std::min(last, share.last)};
}

// Each rank begins with another aggregator, so that they do not all come to the same one at once.
std::vector<Outgoing> CallPlan::outgoing(int64_t cycle) const {
  std::vector<Outgoing> all;
  if (!own.exchanges()) {
    return all;
  }
  const int count = partition.aggregators();
  for (int step = 0; step < count; ++step) {
    const int index = (rank + step) % count;
    for (const auto& section : partition.sections(index, cycle)) {
      if (!intersect(section.extent, own.hull).empty()) {
        all.push_back({index, strategy.aggregators[static_cast<size_t>(index)], section,
                       positions_in(mine.view, own, section.extent)});
      }
    }
  }
  return all;
}

std::vector<Window> CallPlan::windows(int64_t cycle, std::byte* buffer) const {
  std::vector<Window> all;
  if (my_index < 0) {
    return all;
  }
  for (const auto& section : partition.sections(my_index, cycle)) {
    Window window(section, buffer);
    for (const auto& [from, share] : contributors) {
      if (intersect(section.extent, share.hull).empty()) {
        continue;
      }
      if (blind) {
        window.add_whole(from, intersect(section.extent, share.hull));
        continue;
      }
      const TiledPattern& view = views.view_of(from, share.view);
      const Extent positions = positions_in(view, share, section.extent);
      if (!positions.empty()) {
        window.add(from, view, positions);
      }
    }
    all.push_back(std::move(window));
  }
  return all;
}

std::span<std::byte> CallPlan::memory_at(Extent positions) const {
  const int64_t at = mine.memory.bounds().begin + (positions.begin - mine.first);
  return {mine.base + at, static_cast<size_t>(positions.length())};
}

Pattern CallPlan::place_of(const Outgoing& bytes) const {
  return mine.view.slice(bytes.positions.begin, bytes.positions.end)
      .shifted(-bytes.section.extent.begin);
}

namespace {

int64_t count_before(const TiledPattern& view, Extent positions, int64_t end) {
  if (view.hull_of(positions.begin, positions.end).end <= end) {
    return positions.length();
  }
  return Extent{positions.begin, std::min(positions.end, view.position_of(end))}.length();
}

}  // namespace

int64_t CallPlan::bytes_before(Extent positions, int64_t end) const {
  if (positions.empty()) {
    return 0;
  }
  return count_before(mine.view, positions, end);
}

int64_t CallPlan::bytes_before(const Part& part, int64_t end) const {
  const auto found = std::find_if(contributors.begin(), contributors.end(),
                                  [&](const Contributor& c) { return c.rank == part.rank; });
  return count_before(views.view_of(part.rank, found->share.view), part.positions, end);
}

void place(const CallPlan& plan, const Outgoing& own, std::byte* section) {
  if (own.positions.empty()) {
    return;
  }
  const Access& mine = plan.mine;
  const Pattern there = plan.place_of(own);
  if (mine.memory.contiguous()) {
    there.unpack(0, plan.memory_at(own.positions), section);
  } else {
    copy_stream({mine.memory, own.positions.begin - mine.first, mine.base}, {there, 0, section},
                own.positions.length());
  }
}

void take(const CallPlan& plan, const Outgoing& own, int64_t bytes, const std::byte* section) {
  if (bytes == 0) {
    return;
  }
  const Access& mine = plan.mine;
  const Pattern there = plan.place_of(own);
  if (mine.memory.contiguous()) {
    there.pack(0, plan.memory_at(own.positions).first(static_cast<size_t>(bytes)), section);
  } else {
    copy_stream({there, 0, const_cast<std::byte*>(section)},
                {mine.memory, own.positions.begin - mine.first, mine.base}, bytes);
  }
}

}  // namespace longshore
