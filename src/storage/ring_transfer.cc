#ifdef LONGSHORE_HAVE_LIBURING
#include "storage/ring_transfer.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace longshore {

namespace {

// Results that say nothing about the medium: interrupted, busy, the submitting thread ended, or a
// kernel that lacks the operation. A plain call then moves the rest or finds the true reason.
bool needs_plain_call(int sys_errno) {
  return sys_errno == EINTR || sys_errno == EAGAIN || sys_errno == ECANCELED ||
         sys_errno == EINVAL || sys_errno == EOPNOTSUPP;
}

// Where the run ends in the file; an offset beyond what a file can have is left to the kernel.
int64_t end_of(const IoRun& run) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return run.offset > kMax - run.bytes ? kMax : run.offset + run.bytes;
}

void prepare(io_uring_sqe* entry, int fd, IoKind kind, const IoRun& run) {
  const auto offset = static_cast<uint64_t>(run.offset);
  const auto count = static_cast<unsigned>(run.vector_count());
  const iovec* memory = run.vectors();
  if (count > 1 && kind == IoKind::kRead) {
    io_uring_prep_readv(entry, fd, memory, count, offset);
  } else if (count > 1) {
    io_uring_prep_writev(entry, fd, memory, count, offset);
  } else if (kind == IoKind::kRead) {
    io_uring_prep_read(entry, fd, memory->iov_base, static_cast<unsigned>(run.bytes), offset);
  } else {
    io_uring_prep_write(entry, fd, memory->iov_base, static_cast<unsigned>(run.bytes), offset);
  }
}

}  // namespace

RingTransfer::RingTransfer(std::shared_ptr<RingPool> pool, std::unique_ptr<Ring> ring, int fd,
                           IoKind kind, std::span<const IoPiece> pieces)
    : pool_(std::move(pool)), ring_(std::move(ring)), fd_(fd), kind_(kind), cursor_(pieces) {}

RingTransfer::~RingTransfer() {
  stopped_ = true;
  while (in_flight_ > 0) {
    wait_for_some();
  }
  if (ring_failed_) {
    ring_.reset();
  }
  pool_->give_back(std::move(ring_));
}

bool RingTransfer::launch(Mode mode) {
  entry_flags_ = mode == Mode::kBackground ? IOSQE_ASYNC : 0;
  fill();
  const int submitted = io_uring_submit(ring_->handle());
  unsubmitted_ += static_cast<uint64_t>(std::max(0, submitted));  // finish() sees to a failure
  return (exhausted_ || stopped_) && unsubmitted_ == tail_;
}

Outcome RingTransfer::finish() {
  for (;;) {
    fill();
    retire();
    if (in_flight_ == 0 && (exhausted_ || stopped_)) {
      return std::move(outcome_);
    }
    if (in_flight_ > 0) {
      wait_for_some();
      retire();
    }
  }
}

void RingTransfer::fill() {
  while (!stopped_ && !exhausted_ && tail_ - head_ < Ring::kDepth) {
    IoRun& run = ring_->slot(tail_).run;
    if (!staged_ && !cursor_.next(run)) {
      exhausted_ = true;
      return;
    }
    staged_ = true;
    if (kind_ == IoKind::kWrite && overlaps_window(run)) {
      return;
    }
    staged_ = false;
    issue(tail_++);
  }
}

bool RingTransfer::overlaps_window(const IoRun& run) const {
  if (run.offset >= window_end_) {
    return false;
  }
  const Extent range{run.offset, end_of(run)};
  for (uint64_t sequence = head_; sequence < tail_; ++sequence) {
    const RingSlot& slot = ring_->slot(sequence);
    if (!slot.finished && !intersect(range, {slot.run.offset, end_of(slot.run)}).empty()) {
      return true;
    }
  }
  return false;
}

void RingTransfer::issue(uint64_t sequence) {
  RingSlot& slot = ring_->slot(sequence);
  slot.moved_bytes = 0;
  slot.finished = false;
  slot.stops = false;
  slot.error = {};
  window_end_ = std::max(window_end_, end_of(slot.run));
  // To io_uring a negative offset means the file position; a plain call refuses it.
  io_uring_sqe* entry =
      ring_failed_ || slot.run.offset < 0 ? nullptr : io_uring_get_sqe(ring_->handle());
  if (entry == nullptr) {
    finish_by_call(slot);
    return;
  }
  prepare(entry, fd_, kind_, slot.run);
  io_uring_sqe_set_flags(entry, entry_flags_);
  io_uring_sqe_set_data64(entry, sequence);
  ++in_flight_;
}

// Submits what is prepared and takes at least one completion, unless the wait was interrupted.
void RingTransfer::wait_for_some() {
  if (ring_failed_) {
    poll(nullptr, 0, 1);
    reap();
    return;
  }
  const int submitted = io_uring_submit_and_wait(ring_->handle(), 1);
  if (submitted >= 0) {
    unsubmitted_ += static_cast<uint64_t>(submitted);
    refusals_ = 0;
  } else if (submitted == -EAGAIN || submitted == -EBUSY) {
    poll(nullptr, 0, 1);
    if (++refusals_ > kMaxBusyRetries) {
      abandon_ring();
    }
  } else if (submitted != -EINTR) {
    abandon_ring();
  }
  reap();
}

// The kernel takes no more from this ring: what it has not taken yet goes by plain calls, what it
// has still ends by completions.
void RingTransfer::abandon_ring() {
  ring_failed_ = true;
  for (; unsubmitted_ < tail_; ++unsubmitted_) {
    RingSlot& slot = ring_->slot(unsubmitted_);
    if (!slot.finished) {
      finish_by_call(slot);
      --in_flight_;
    }
  }
}

void RingTransfer::reap() {
  io_uring_cqe* completion = nullptr;
  while (in_flight_ > 0 && io_uring_peek_cqe(ring_->handle(), &completion) == 0) {
    RingSlot& slot = ring_->slot(io_uring_cqe_get_data64(completion));
    const int result = completion->res;
    io_uring_cqe_seen(ring_->handle(), completion);
    --in_flight_;
    complete(slot, result);
  }
}

void RingTransfer::complete(RingSlot& slot, int result) {
  if (result < 0 && !needs_plain_call(-result)) {
    stop_at(slot, -result);
    return;
  }
  if (result > 0) {
    slot.run.drop_front(result);
    slot.moved_bytes += result;
  }
  finish_by_call(slot);
}

// Moves what is left of the run, if anything, by plain calls: short transfers are rare but for the
// end of the file, which one plain read tells.
void RingTransfer::finish_by_call(RingSlot& slot) {
  bool at_end = false;
  if (slot.run.bytes > 0) {
    Outcome rest =
        move_run([this](IoKind kind, const IoRun& run) { return call_vectored(fd_, kind, run); },
                 kind_, slot.run, at_end);
    slot.moved_bytes += rest.bytes;
    slot.error = std::move(rest.error);
  }
  slot.finished = true;
  slot.stops = at_end || slot.error.code != ErrorClass::kOk;
  stopped_ = stopped_ || slot.stops;
}

void RingTransfer::stop_at(RingSlot& slot, int sys_errno) {
  slot.error = transfer_error(kind_, sys_errno, slot.run.offset);
  slot.finished = true;
  slot.stops = true;
  stopped_ = true;
}

void RingTransfer::retire() {
  while (!counted_out_ && head_ < tail_ && ring_->slot(head_).finished) {
    RingSlot& slot = ring_->slot(head_);
    outcome_.bytes += slot.moved_bytes;
    outcome_.error = std::move(slot.error);
    counted_out_ = slot.stops;
    ++head_;
  }
}

}  // namespace longshore
#endif  // LONGSHORE_HAVE_LIBURING
