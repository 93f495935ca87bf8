#include "comm/segment_arena.h"

#include <algorithm>
#include <array>
#include <vector>

namespace longshore {

// The first rank of each node makes it; once all have it, its name is dropped.
Result<std::unique_ptr<SegmentArena>> SegmentArena::make(Communicator& comm, size_t bytes) {
  const auto& nodes = comm.nodes();
  const int node = nodes.node_of_rank[static_cast<size_t>(comm.rank())];
  const int leader = nodes.leader_of_node[static_cast<size_t>(node)];
  Result<SharedSegment> segment = SharedSegment();
  SegmentName name{};
  if (leader == comm.rank()) {
    segment = SharedSegment::create_sparse(bytes);
    name = segment ? segment->name() : name;
  }
  std::vector<SegmentName> names(static_cast<size_t>(comm.size()));
  if (auto told = comm.all_gather(std::as_bytes(std::span(&name, 1)),
                                  std::as_writable_bytes(std::span(names)));
      !told) {
    return fail(told.error());
  }
  const SegmentName& there = names[static_cast<size_t>(leader)];
  if (leader != comm.rank()) {
    segment = there[0] == '\0' ? fail(ErrorClass::kNoMemory, "no shared memory on this host")
                               : SharedSegment::attach_sparse(there.data(), bytes);
  }
  if (auto common = agree(comm, segment ? Status{} : fail(segment.error())); !common) {
    return fail(common.error());
  }
  segment->drop_name();
  return std::unique_ptr<SegmentArena>(new SegmentArena(std::move(*segment)));
}

}  // namespace longshore
