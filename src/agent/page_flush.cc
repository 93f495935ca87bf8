// How pages get to storage.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "agent/page_memory.h"
#include "agent/page_store.h"

namespace longshore {

namespace {

constexpr int64_t kJoinedBytes = int64_t{4} << 20;

// A full disk may have room again, a limit may be raised; a place beyond all files stays there.
bool is_final(const Error& error) {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return error.sys_errno == EINVAL || error.sys_errno == ESPIPE ||
         (error.sys_errno == EFBIG && !limited);
}

}  // namespace

void PageStore::add_dirty(const Slot& slot, std::vector<IoPiece>& pieces) const {
  const int64_t begin = (slot.tag.load(std::memory_order_relaxed) - 1) * geometry_.page_bytes;
  std::byte* data = data_of(slot);
  if (slot.dirty_bytes == slot.dirty.length()) {
    if (slot.dirty_bytes > 0) {
      pieces.push_back({begin + slot.dirty.begin, data + slot.dirty.begin, slot.dirty_bytes});
    }
    return;
  }
  bits_of(slot).each_run(slot.dirty, true, [&](Extent run) {
    pieces.push_back({begin + run.begin, data + run.begin, run.length()});
  });
}

// REQUIRES: the set's lock.
Status PageStore::write_out(Slot& slot) {
  if (slot.dirty_bytes == 0) {
    return {};
  }
  static thread_local std::vector<IoPiece> pieces;
  pieces.clear();
  add_dirty(slot, pieces);
  if (const Outcome written = terms_.storage->transfer(IoKind::kWrite, pieces); !written.ok()) {
    if (is_final(written.error)) {
      give_up(slot, written.error);
    }
    return fail(written.error);
  }
  now_clean(slot);
  return {};
}

void PageStore::give_up(Slot& slot, const Error& reason) {
  head().lost.store(static_cast<int64_t>(reason.code));
  bits_of(slot).clear(slot.dirty);
  drop(slot);
}

Status PageStore::take_lost() {
  const auto reason =
      static_cast<ErrorClass>(head().lost.load() == 0 ? 0 : head().lost.exchange(0));
  return reason == ErrorClass::kOk ? Status{}
                                   : fail(reason, "bytes that could not be written were given up");
}

// All of its dirty bytes are on storage: readers may use what is known of it.
void PageStore::now_clean(Slot& slot) {
  const bool full = slot.dirty_bytes == geometry_.page_bytes;
  const Change change(slot);
  slot.valid = std::max(slot.valid.load(), slot.dirty.end);
  slot.loaded = slot.loaded || full;
  slot.loaded_ms = full ? coarse_ms() : slot.loaded_ms.load();
  bits_of(slot).clear(slot.dirty);
  slot.dirty = {};
  slot.dirty_bytes = 0;
  slot.end.store(0, std::memory_order_relaxed);
  if (!slot.loaded || !terms_.readable) {
    drop(slot);
  }
}

std::vector<int64_t> PageStore::pages_in(Extent range) const {
  const Extent wanted{range.begin / geometry_.page_bytes,
                      range.end / geometry_.page_bytes + (range.end % geometry_.page_bytes != 0)};
  std::vector<int64_t> numbers;
  if (wanted.length() <= geometry_.sets) {
    for (int64_t number = wanted.begin; number < wanted.end; ++number) {
      numbers.push_back(number);
    }
    return numbers;
  }
  for (int64_t set = 0; set < geometry_.sets; ++set) {
    for (int64_t way = 0; way < geometry_.ways; ++way) {
      const int64_t tag = slot_at(set, way).tag.load(std::memory_order_relaxed);
      if (tag > 0 && wanted.contains(tag - 1)) {
        numbers.push_back(tag - 1);
      }
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// A part's pages: those of every parts-th set, so that they are the same before and after. Nobody
// writes any more; the locks are taken to see what was written.
std::vector<PageStore::Slot*> PageStore::slots_of(FlushShare share) const {
  std::vector<Slot*> slots;
  for (int64_t set = share.part; set < geometry_.sets; set += share.parts) {
    const std::lock_guard lock(set_at(set).lock);
    for (int64_t way = 0; way < set_at(set).backed; ++way) {
      if (Slot& slot = slot_at(set, way); !slot.free()) {
        slots.push_back(&slot);
      }
    }
  }
  std::sort(slots.begin(), slots.end(), [](const Slot* a, const Slot* b) {
    return a->tag.load(std::memory_order_relaxed) < b->tag.load(std::memory_order_relaxed);
  });
  return slots;
}

std::vector<IoPiece> PageStore::dirty_pieces(FlushShare share) const {
  std::vector<IoPiece> pieces;
  for (const Slot* slot : slots_of(share)) {
    add_dirty(*slot, pieces);
  }
  return pieces;
}

void PageStore::drop_pages(FlushShare share) {
  for (Slot* slot : slots_of(share)) {
    bits_of(*slot).clear(slot->dirty);
    drop(*slot);
  }
}

// Several ranks that flush at once begin at different pages; each goes on until all are done.
Status PageStore::expel(Extent range, FlushShare share) {
  if (!holds_pages() || range.empty()) {
    return {};
  }
  auto numbers = pages_in(range);
  const auto cut = static_cast<int64_t>(numbers.size()) * share.part / share.parts;
  std::rotate(numbers.begin(), numbers.begin() + cut, numbers.end());
  Status status;
  for (size_t done = 0; done < numbers.size();) {
    const Status run = expel_run(std::span(numbers).subspan(done), done);
    status = status ? run : status;
  }
  return status;
}

// Pages of one expulsion that adjoin in the file, locked together. Further locks are only tried
// for: who waits for one holds none.
class PageStore::Joined {
 public:
  ~Joined() {
    for (Set* set : locked_) {
      set->lock.unlock();
    }
  }
  // True if the lock is ours, from now on or before.
  bool lock(Set& set) {
    if (std::find(locked_.begin(), locked_.end(), &set) != locked_.end()) {
      return true;
    }
    if (locked_.empty()) {
      set.lock.lock();
    } else if (!set.lock.try_lock()) {
      return false;
    }
    locked_.push_back(&set);
    return true;
  }
  std::vector<Slot*> slots;
  std::vector<IoPiece> pieces;

 private:
  std::vector<Set*> locked_;
};

// One by one: a page that can never be written does not keep the others.
Status PageStore::write_each(std::span<Slot* const> slots) {
  Status status;
  for (Slot* slot : slots) {
    const Status written = write_out(*slot);
    status = status ? written : status;
    if (written && !slot->free()) {
      drop(*slot);
    }
  }
  return status;
}

// Expels the first of the pages and those that adjoin it; `done` grows by their number.
Status PageStore::expel_run(std::span<const int64_t> numbers, size_t& done) {
  Joined run;
  const auto most = std::max<size_t>(1, static_cast<size_t>(kJoinedBytes / geometry_.page_bytes));
  size_t count = 0;
  while (count < std::min(most, numbers.size()) &&
         numbers[count] == numbers[0] + static_cast<int64_t>(count)) {
    Set& set = set_of(numbers[count]);
    if (!run.lock(set)) {
      break;
    }
    if (Slot* slot = find(set, numbers[count]); slot != nullptr) {
      run.slots.push_back(slot);
      add_dirty(*slot, run.pieces);
    }
    ++count;
  }
  done += count;
  if (!run.pieces.empty()) {
    if (const Outcome written = terms_.storage->transfer(IoKind::kWrite, run.pieces);
        !written.ok()) {
      return is_final(written.error) ? write_each(run.slots) : fail(written.error);
    }
  }
  for (Slot* slot : run.slots) {
    if (slot->dirty_bytes > 0) {
      now_clean(*slot);
    }
    if (!slot->free()) {
      drop(*slot);
    }
  }
  return {};
}

// Complete pages, for whoever begins the next one.
bool PageStore::offer(const Slot& slot) {
  const int64_t tag = slot.tag.load(std::memory_order_relaxed);
  for (auto& place : head().full) {
    int64_t none = 0;
    if (place.load(std::memory_order_relaxed) == 0 && place.compare_exchange_strong(none, tag)) {
      return true;
    }
  }
  return false;
}

// Writes out one of the pages that others have completed. False if there is none.
Result<bool> PageStore::help() {
  for (auto& place : head().full) {
    const int64_t tag = place.load(std::memory_order_relaxed) == 0 ? 0 : place.exchange(0);
    if (tag == 0) {
      continue;
    }
    Set& set = set_of(tag - 1);
    const std::lock_guard lock(set.lock);
    Slot* slot = find(set, tag - 1);
    if (slot != nullptr && slot->dirty_bytes == geometry_.page_bytes) {
      if (auto written = write_out(*slot); !written) {
        return fail(written.error());
      }
    }
    return true;
  }
  return false;
}

}  // namespace longshore
