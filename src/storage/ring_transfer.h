// storage/ring_transfer.h - one transfer over one io_uring.
//
// Runs (see RunCursor) are numbered in order. Those from head to tail are the window: at most as
// many as the ring is deep, each submitted, finished or both. Runs finish in any order and are
// counted in theirs, at the head; a run that failed or met the end of the file stops the issue of
// new ones, and nothing behind it counts. A write that overlaps one in the window waits for it, so
// that the later piece wins as it does one after the other.
//
//   depth 4:  head        tail        run 5 finishes: nothing is counted yet, run 4 is not done
//             v           v           run 4 finishes: 4 and 5 are counted, head = 6, and two new
//     ..3 ] [ 4   5   6   7 ] 8..     runs are issued
#pragma once
#ifdef LONGSHORE_HAVE_LIBURING
#include <memory>
#include <span>
#include <vector>

#include "storage/move_pieces.h"
#include "storage/ring_pool.h"

namespace longshore {

class RingTransfer {
 public:
  enum class Mode {
    kBlocking,    // what the page cache can serve is done while submitting
    kBackground,  // the kernel's workers do everything; submitting only queues
  };

  // Takes a ring (not null) from `pool` and gives it back at the end. `pieces`, their memory and
  // `fd` must stay valid until finish() returned.
  RingTransfer(std::shared_ptr<RingPool> pool, std::unique_ptr<Ring> ring, int fd, IoKind kind,
               std::span<const IoPiece> pieces);
  // Waits for what is under way.
  ~RingTransfer();
  RingTransfer(const RingTransfer&) = delete;
  RingTransfer& operator=(const RingTransfer&) = delete;

  // Submits as much as the ring takes; true if that is all, so that only the end is to be awaited.
  bool launch(Mode mode);

  // Carries on to the end. Call once.
  Outcome finish();

 private:
  void fill();
  [[nodiscard]] bool overlaps_window(const IoRun& run) const;
  void issue(uint64_t sequence);
  void wait_for_some();
  void reap();
  void abandon_ring();
  void complete(RingSlot& slot, int result);
  void finish_by_call(RingSlot& slot);
  void stop_at(RingSlot& slot, int sys_errno);
  void retire();

  std::shared_ptr<RingPool> pool_;
  std::unique_ptr<Ring> ring_;
  int fd_;
  IoKind kind_;
  RunCursor cursor_;
  unsigned entry_flags_ = 0;
  uint64_t head_ = 0;
  uint64_t tail_ = 0;
  uint64_t unsubmitted_ = 0;  // the first run that is prepared but not submitted
  int in_flight_ = 0;         // prepared or submitted, not finished
  int refusals_ = 0;          // submissions in a row that the kernel put off
  int64_t window_end_ = 0;    // no issued run reaches beyond this file offset
  bool staged_ = false;       // slot(tail_) holds the next run, not yet issued
  bool exhausted_ = false;    // the cursor has no more
  bool stopped_ = false;      // some run stops the transfer: issue no more
  bool counted_out_ = false;  // retire() has met that run
  bool ring_failed_ = false;  // go on by plain calls
  Outcome outcome_;
};

}  // namespace longshore
#endif  // LONGSHORE_HAVE_LIBURING
