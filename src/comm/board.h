// comm/board.h - collective steps among the ranks of one host, over shared memory.
//
// Every rank has a box; a step is: put a value into the own box, count yourself, sleep until all
// are counted, read all boxes. The last one to come wakes the others, so a step costs each process
// one switch, which is what counts where ranks outnumber cores. Boxes have two sides used in turn:
// a rank can be one step ahead of the slowest reader, never two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "comm/communicator.h"
#include "comm/shared_segment.h"
#include "core/result.h"

namespace longshore {

class Board {
 public:
  static constexpr size_t kBoxBytes = 256;

  // Collective over `comm`, whose ranks are all on one host. Null on all ranks if the host has no
  // shared memory to give. `meanwhile` is called now and then during long waits.
  [[nodiscard]] static Result<std::unique_ptr<Board>> make(Communicator& comm,
                                                           std::function<void()> meanwhile);

  // One step. `read` is called with each rank's bytes in rank order, once all are there.
  // REQUIRES: mine.size() <= kBoxBytes.
  void step(std::span<const std::byte> mine,
            const std::function<void(int rank, std::span<const std::byte>)>& read);

 private:
  Board(SharedSegment segment, int rank, int size, std::function<void()> meanwhile);
  struct Head;
  [[nodiscard]] static size_t bytes_for(int size);
  [[nodiscard]] Head& head() const;
  [[nodiscard]] std::byte* box(int rank, uint64_t step) const;

  SharedSegment segment_;
  int rank_;
  int size_;
  std::function<void()> meanwhile_;
  uint64_t steps_ = 0;
};

}  // namespace longshore
