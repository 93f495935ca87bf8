// storage/run_cursor.h - joins pieces that adjoin in the file into vectored transfers.
// Pure arithmetic: no system call.
#pragma once
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/storage.h"

namespace longshore {

// What one vectored system call can take: consecutive file bytes, scattered in memory.
struct IoRun {
  int64_t offset = 0;
  int64_t bytes = 0;          // the sum over `memory`
  std::vector<iovec> memory;  // only the elements from `first` on are still to be moved
  size_t first = 0;

  // Takes the first `moved_bytes` off the run. REQUIRES: 0 <= moved_bytes <= bytes.
  void drop_front(int64_t moved_bytes);

  [[nodiscard]] const iovec* vectors() const { return memory.data() + first; }
  [[nodiscard]] int vector_count() const { return static_cast<int>(memory.size() - first); }
};

// Linux moves at most this much in one call and reports the rest as not moved.
inline constexpr int64_t kMaxRunBytes = 0x7ffff000;
inline constexpr size_t kMaxRunVectors = 1024;  // IOV_MAX

// Cuts a piece list into runs, in order. A run ends where the file offset jumps and at the two
// limits above. Pieces that adjoin in memory as well share one vector.
//   pieces (file offset, length): (0,4) (4,4) (20,4)  ->  runs [0,8) with 2 vectors, [20,24)
class RunCursor {
 public:
  // `pieces` must stay valid as long as the cursor. REQUIRES: no length is negative.
  explicit RunCursor(std::span<const IoPiece> pieces) : pieces_(pieces) {}

  // Fills `run` with the next one (reusing its memory); false at the end. Never an empty run.
  [[nodiscard]] bool next(IoRun& run);

 private:
  bool append(IoRun& run);

  std::span<const IoPiece> pieces_;
  size_t index_ = 0;
  int64_t taken_bytes_ = 0;  // of pieces_[index_]
};

}  // namespace longshore
