// agent/page_memory.h - how a PageStore lies in its arena.
#pragma once
#include <atomic>
#include <cstdint>
#include <ctime>
#include <iterator>

#include "agent/page_lock.h"
#include "agent/page_store.h"
#include "core/extent.h"

namespace longshore {

struct PageStore::Head {
  PageGeometry geometry;
  std::atomic<int64_t> present{0};  // pages in the store
  std::atomic<int64_t> pause{0};    // so many pages may yet be begun before anyone waits for room
  // Numbers and one: of complete pages that anyone may write out, and of pages begun lately.
  std::atomic<int64_t> full[8] = {};
  std::atomic<int64_t> latest[kStreams] = {};
  std::atomic<int64_t> lost{0};  // the ErrorClass for which bytes were given up; 0: none were
};

struct alignas(64) PageStore::Set {
  PageLock lock;
  std::atomic<int64_t> backed{0};  // ways with memory, the first ones
  int64_t age = 0;                 // of the youngest page
  int64_t recent = 0;              // way of the last page found
  std::atomic<int64_t> seen[8] = {};
  std::atomic<int64_t> next_seen{0};

  // True from the second time on that a page is asked for, if that is not long ago. Also without
  // the lock, by readers that do not wait for it: it only guides.
  bool seen_before(int64_t number) {
    for (const auto& each : seen) {
      if (each.load(std::memory_order_relaxed) == number + 1) {
        return true;
      }
    }
    const int64_t at = next_seen.fetch_add(1, std::memory_order_relaxed) % std::ssize(seen);
    seen[at].store(number + 1, std::memory_order_relaxed);
    return false;
  }
};

struct alignas(64) PageStore::Slot {
  std::atomic<int64_t> tag{0};  // the page's number and one; 0: free
  std::atomic<int64_t> end{0};  // in the file, of the last dirty byte; 0: clean
  int64_t stamp = 0;
  Extent dirty;  // hull, in the page
  int64_t dirty_bytes = 0;
  std::atomic<bool> loaded{false};
  std::atomic<int64_t> valid{0};      // if loaded: bytes that storage had
  std::atomic<int64_t> loaded_ms{0};  // if loaded: when
  int64_t taken = 0;                  // bytes that readers have had
  std::atomic<uint64_t> version{0};   // odd while bytes or what is known of them change
  int64_t changes = 0;                // under way, one in the other

  [[nodiscard]] bool free() const { return tag.load(std::memory_order_relaxed) == 0; }
  // REQUIRES: its dirty bits are clear.
  void forget() {
    tag.store(0, std::memory_order_relaxed);
    end.store(0, std::memory_order_relaxed);
    stamp = 0;
    dirty = {};
    dirty_bytes = 0;
    loaded.store(false, std::memory_order_relaxed);
    valid.store(0, std::memory_order_relaxed);
    taken = 0;
  }
  // Free, or of no further use as far as can be told.
  [[nodiscard]] bool expendable() const { return dirty_bytes == 0 && stamp == 0; }
};

// A change of a slot, under its set's lock. Who reads without the lock looks at the version before
// and after. A process that dies here leaves an odd version: such readers then take the lock.
class PageStore::Change {
 public:
  explicit Change(Slot& slot) : slot_(slot) {
    if (slot_.changes++ == 0) {
      slot_.version.fetch_add(1, std::memory_order_acq_rel);
    }
  }
  ~Change() {
    if (--slot_.changes == 0) {
      slot_.version.store(slot_.version.load(std::memory_order_relaxed) + 1,
                          std::memory_order_release);
    }
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  Slot& slot_;
};

static_assert(sizeof(PageStore::Set) % 64 == 0 && sizeof(PageStore::Slot) % 64 == 0);

// Offsets in the arena: the head, the sets, the slots, then page after page, each followed by its
// dirty bits.
class PageMemory {
 public:
  static constexpr int64_t kHeadBytes = 1024;
  // Up to a multiple of the system's pages.
  [[nodiscard]] static int64_t whole(int64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

  explicit PageMemory(const PageGeometry& geometry) : geometry_(geometry) {}
  [[nodiscard]] int64_t set(int64_t index) const {
    return kHeadBytes + index * int64_t{sizeof(PageStore::Set)};
  }
  [[nodiscard]] int64_t slot(int64_t index) const {
    return set(geometry_.sets) + index * int64_t{sizeof(PageStore::Slot)};
  }
  [[nodiscard]] int64_t metadata_end() const { return whole(slot(slots())); }
  [[nodiscard]] Extent page(int64_t index) const {
    const int64_t stride = whole(geometry_.page_bytes + DirtyBits::bytes_for(geometry_.page_bytes));
    return {metadata_end() + index * stride, metadata_end() + (index + 1) * stride};
  }
  [[nodiscard]] int64_t end() const { return page(slots()).begin; }

 private:
  [[nodiscard]] int64_t slots() const { return geometry_.sets * geometry_.ways; }
  const PageGeometry& geometry_;
};

// To some milliseconds, at little cost.
inline int64_t coarse_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Over all stores of this process.
inline std::atomic<int64_t>& reserved_by_process() {
  static std::atomic<int64_t> bytes{0};
  return bytes;
}
inline std::atomic<int64_t>& stores_of_process() {
  static std::atomic<int64_t> stores{0};
  return stores;
}

}  // namespace longshore
