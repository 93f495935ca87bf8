// comm/node_memory.h - memory that the ranks of a node reach as their own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/shared_segment.h"
#include "core/result.h"

namespace longshore {

// Segments by owner. Kept with a communicator, so that pages are touched once however many files
// come and go.
class SegmentMemory final : public NodeMemory {
 public:
  // Collective over `comm`, see Communicator::node_memory().
  [[nodiscard]] Status provide(Communicator& comm, std::span<const int> owners, size_t bytes);

  [[nodiscard]] std::span<std::byte> of(int owner) const override;

 private:
  struct Owned {
    size_t bytes = 0;
    SharedSegment segment;  // none for owners on other nodes
  };
  [[nodiscard]] std::vector<int> lacking(std::span<const int> owners, size_t bytes) const;
  std::map<int, Owned> segments_;
};

}  // namespace longshore
