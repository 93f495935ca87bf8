#include "comm/node_memory.h"

#include <algorithm>
#include <array>

namespace longshore {

std::vector<int> SegmentMemory::lacking(std::span<const int> owners, size_t bytes) const {
  std::vector<int> missing;
  for (const int owner : owners) {
    const auto found = segments_.find(owner);
    if (found == segments_.end() || found->second.bytes < bytes) {
      missing.push_back(owner);
    }
  }
  return missing;
}

Status SegmentMemory::provide(Communicator& comm, std::span<const int> owners, size_t bytes) {
  const auto missing = lacking(owners, bytes);
  if (missing.empty()) {
    return {};
  }
  std::map<int, Owned> fresh;
  Status status;
  SegmentName mine{};
  if (std::find(missing.begin(), missing.end(), comm.rank()) != missing.end()) {
    auto made = SharedSegment::create(bytes);
    status = made ? status : fail(made.error());
    fresh[comm.rank()].segment = made ? std::move(*made) : SharedSegment();
    mine = fresh[comm.rank()].segment.name();
  }
  std::vector<SegmentName> names(static_cast<size_t>(comm.size()));
  if (auto told = comm.all_gather(std::as_bytes(std::span(&mine, 1)),
                                  std::as_writable_bytes(std::span(names)));
      !told) {
    return told;
  }
  const auto& node_of = comm.nodes().node_of_rank;
  const int node = node_of[static_cast<size_t>(comm.rank())];
  for (const int owner : missing) {
    const auto& name = names[static_cast<size_t>(owner)];
    if (owner != comm.rank() && node_of[static_cast<size_t>(owner)] == node && name[0] != 0) {
      auto attached = SharedSegment::attach(name.data(), bytes);
      status = attached ? status : fail(attached.error());
      fresh[owner].segment = attached ? std::move(*attached) : SharedSegment();
    }
    fresh[owner].bytes = bytes;
  }
  if (auto common = agree(comm, status); !common) {
    return common;
  }
  for (auto& [owner, owned] : fresh) {
    owned.segment.drop_name();
    segments_[owner] = std::move(owned);
  }
  return {};
}

std::span<std::byte> SegmentMemory::of(int owner) const {
  const auto found = segments_.find(owner);
  return found == segments_.end() ? std::span<std::byte>() : found->second.segment.memory();
}

}  // namespace longshore
