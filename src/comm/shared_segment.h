// comm/shared_segment.h - a piece of memory that processes of one host share.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "core/extent.h"
#include "core/result.h"

namespace longshore {

class Communicator;

// A segment's name as it travels between ranks; empty if there is none.
using SegmentName = std::array<char, 128>;

// Owns a mapping. The creator's name in the system can be dropped once all have attached, after
// which nothing is left behind whatever happens to the processes.
class SharedSegment {
 public:
  SharedSegment() = default;
  ~SharedSegment();
  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept;

  // A new zeroed segment under a fresh name. Fails with kNoSpace or kNoMemory where the system has
  // no room: the pages are reserved, so that touching them later cannot fail.
  [[nodiscard]] static Result<SharedSegment> create(size_t bytes);
  [[nodiscard]] static Result<SharedSegment> attach(const std::string& name, size_t bytes);

  // The same without memory behind it: reserve() a range before touching it. Ranges are whole
  // pages.
  [[nodiscard]] static Result<SharedSegment> create_sparse(size_t bytes);
  [[nodiscard]] static Result<SharedSegment> attach_sparse(const std::string& name, size_t bytes);
  [[nodiscard]] Status reserve(Extent range) const;
  void give_back(Extent range) const;  // its bytes are zero when reserved again

  void drop_name();
  [[nodiscard]] SegmentName name() const;
  [[nodiscard]] std::span<std::byte> memory() const { return memory_; }

 private:
  [[nodiscard]] static Result<SharedSegment> map(int fd, std::string name, size_t bytes);
  std::string name_;
  bool owns_name_ = false;
  int fd_ = -1;  // of sparse ones
  std::span<std::byte> memory_;
};

// Collective over a group on one host: one zeroed segment that all ranks have mapped and whose name
// is gone already. Without memory() on all ranks if the host has none to give.
[[nodiscard]] Result<SharedSegment> share_segment(Communicator& comm, size_t bytes);

}  // namespace longshore
