#ifdef LONGSHORE_HAVE_LIBURING
#include "storage/ring_pool.h"

#include <unistd.h>

#include <utility>

namespace longshore {

std::unique_ptr<Ring> Ring::make() {
  std::unique_ptr<Ring> ring(new Ring);
  if (io_uring_queue_init(kDepth, &ring->ring_, 0) != 0) {
    ring->ring_.ring_fd = -1;
    return nullptr;
  }
  return ring;
}

Ring::~Ring() {
  if (ring_.ring_fd >= 0) {
    io_uring_queue_exit(&ring_);
  }
}

RingPool::RingPool() : owner_(getpid()) {}

std::shared_ptr<RingPool> RingPool::shared() {
  // Never destroyed: files may be closed by other objects' destructors at exit.
  static auto& mutex = *new std::mutex;
  static auto& current = *new std::weak_ptr<RingPool>;
  const std::lock_guard guard(mutex);
  std::shared_ptr<RingPool> pool = current.lock();
  if (pool == nullptr || pool->owner_ != getpid()) {
    pool = std::make_shared<RingPool>();
    current = pool;
  }
  return pool;
}

bool RingPool::usable() {
  const std::lock_guard guard(mutex_);
  if (free_.empty() && taken_ == 0) {
    std::unique_ptr<Ring> ring = Ring::make();
    if (ring == nullptr) {
      return false;
    }
    free_.push_back(std::move(ring));
  }
  return true;
}

std::unique_ptr<Ring> RingPool::take() {
  if (owner_ != getpid()) {
    return nullptr;
  }
  {
    const std::lock_guard guard(mutex_);
    if (taken_ >= kMaxTaken) {
      return nullptr;
    }
    ++taken_;
    if (!free_.empty()) {
      std::unique_ptr<Ring> ring = std::move(free_.back());
      free_.pop_back();
      return ring;
    }
  }
  std::unique_ptr<Ring> ring = Ring::make();
  if (ring == nullptr) {
    give_back(nullptr);
  }
  return ring;
}

void RingPool::give_back(std::unique_ptr<Ring> ring) {
  const std::lock_guard guard(mutex_);
  --taken_;
  if (ring != nullptr && free_.size() < kMaxKept) {
    free_.push_back(std::move(ring));
  }
}

}  // namespace longshore
#endif  // LONGSHORE_HAVE_LIBURING
