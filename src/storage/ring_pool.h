// storage/ring_pool.h - io_uring instances, each used by one transfer at a time.
//
// A transfer takes a ring for itself and gives it back at its end. So rings need no lock, and no
// thread has to sort out another one's completions. Empty in a build without liburing.
#pragma once
#ifdef LONGSHORE_HAVE_LIBURING
#include <liburing.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.h"
#include "storage/run_cursor.h"

namespace longshore {

// One run on its way, in a ring's table.
struct RingSlot {
  IoRun run;  // what is still to be moved
  int64_t moved_bytes = 0;
  bool finished = false;
  bool stops = false;  // failed or met the end of the file: nothing behind it counts
  Error error;
};

// Owns an io_uring and the table of runs that it works on.
class Ring {
 public:
  static constexpr unsigned kDepth = 128;

  // Null if the kernel refuses.
  [[nodiscard]] static std::unique_ptr<Ring> make();
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  [[nodiscard]] io_uring* handle() { return &ring_; }
  [[nodiscard]] RingSlot& slot(uint64_t sequence) { return slots_[sequence % kDepth]; }

 private:
  Ring() : slots_(kDepth) {}
  io_uring ring_{};
  std::vector<RingSlot> slots_;
};

// All methods may be called by several threads at once.
class RingPool {
 public:
  static constexpr int kMaxTaken = 32;
  static constexpr size_t kMaxKept = 8;

  // The process's pool; it ends when the last holder lets go.
  [[nodiscard]] static std::shared_ptr<RingPool> shared();
  RingPool();

  // Whether the kernel gives rings to this process.
  [[nodiscard]] bool usable();

  // A ring without work, or null: too many are out, the kernel refuses, or the process is a fork
  // of the one that made the pool.
  [[nodiscard]] std::unique_ptr<Ring> take();

  // Takes a ring from take() back; null if it was found unusable.
  void give_back(std::unique_ptr<Ring> ring);

 private:
  const pid_t owner_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Ring>> free_;
  int taken_ = 0;
};

}  // namespace longshore
#endif  // LONGSHORE_HAVE_LIBURING
