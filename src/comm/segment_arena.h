// comm/segment_arena.h - an Arena in a shared segment of each node.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "comm/communicator.h"
#include "comm/shared_segment.h"
#include "core/result.h"

namespace longshore {

class SegmentArena final : public Arena {
 public:
  // Collective; fails alike on all ranks.
  [[nodiscard]] static Result<std::unique_ptr<SegmentArena>> make(Communicator& comm, size_t bytes);

  [[nodiscard]] std::span<std::byte> memory() const override { return segment_.memory(); }
  [[nodiscard]] Status reserve(Extent range) override { return segment_.reserve(range); }
  void give_back(Extent range) override { segment_.give_back(range); }

 private:
  explicit SegmentArena(SharedSegment segment) : segment_(std::move(segment)) {}
  SharedSegment segment_;
};

}  // namespace longshore
