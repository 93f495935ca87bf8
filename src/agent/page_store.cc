#include "agent/page_store.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>

#include "agent/page_memory.h"
#include "core/raw_buffer.h"

namespace longshore {

PageGeometry PageGeometry::of(int64_t page_bytes, int64_t cache_bytes) {
  constexpr int64_t kMostSets = 32;
  constexpr int64_t kGoodWays = 4;
  PageGeometry geometry;
  geometry.page_bytes = PageMemory::whole(page_bytes);
  const int64_t pages = std::max<int64_t>(1, cache_bytes / geometry.page_bytes);
  geometry.sets = std::clamp<int64_t>(pages / kGoodWays, 1, kMostSets);
  geometry.ways = pages / geometry.sets;
  return geometry;
}

size_t PageGeometry::arena_bytes() const { return static_cast<size_t>(PageMemory(*this).end()); }

PageStore::PageStore(Arena& arena, const PageGeometry& geometry, const Terms& terms)
    : arena_(arena),
      geometry_(geometry),
      terms_(terms),
      mapped_(static_cast<size_t>(geometry.sets * geometry.ways)) {
  ++stores_of_process();
}

PageStore::~PageStore() {
  --stores_of_process();
  reserved_by_process() -= reserved_;
}

PageStore::Head& PageStore::head() const {
  static_assert(sizeof(Head) <= PageMemory::kHeadBytes);
  return *reinterpret_cast<Head*>(arena_.memory().data());
}
PageStore::Set& PageStore::set_at(int64_t index) const {
  return *reinterpret_cast<Set*>(arena_.memory().data() + PageMemory(geometry_).set(index));
}
PageStore::Slot& PageStore::slot_at(int64_t set, int64_t way) const {
  return *reinterpret_cast<Slot*>(arena_.memory().data() +
                                  PageMemory(geometry_).slot(set * geometry_.ways + way));
}
int64_t PageStore::index_of(const Slot& slot) const { return &slot - &slot_at(0, 0); }
Extent PageStore::place_of(const Slot& slot) const {
  return PageMemory(geometry_).page(index_of(slot));
}
std::byte* PageStore::data_of(const Slot& slot) const {
  return arena_.memory().data() + place_of(slot).begin;
}
DirtyBits PageStore::bits_of(const Slot& slot) const {
  return DirtyBits(reinterpret_cast<uint64_t*>(data_of(slot) + geometry_.page_bytes));
}

// Memory that an earlier file left is used again if it is cut alike.
Status PageStore::prepare() {
  const PageMemory memory(geometry_);
  if (auto reserved = arena_.reserve({0, memory.metadata_end()}); !reserved) {
    return reserved;
  }
  const bool known = head().geometry == geometry_;
  if (!known) {
    arena_.give_back({memory.metadata_end(), static_cast<int64_t>(arena_.memory().size())});
    head().geometry = geometry_;
  }
  head().present = 0;
  head().pause = 0;
  head().lost = 0;
  for (auto& place : head().full) {
    place = 0;
  }
  for (auto& page : head().latest) {
    page = 0;
  }
  for (int64_t set = 0; set < geometry_.sets; ++set) {
    Set& each = set_at(set);
    each.lock.prepare();
    each.backed = known ? each.backed.load() : 0;
    each.age = 0;
    each.recent = 0;
    std::fill(std::begin(each.seen), std::end(each.seen), 0);
    each.next_seen = 0;
    for (int64_t way = 0; way < geometry_.ways; ++way) {
      Slot& slot = slot_at(set, way);
      if (way < each.backed && slot.dirty_bytes > 0) {
        bits_of(slot).clear({0, geometry_.page_bytes});
      }
      slot.version = 0;
      slot.changes = 0;
      slot.forget();
    }
  }
  return {};
}

void PageStore::retire() {
  constexpr int64_t kStoresKeptWarm = 4;
  constexpr int64_t kWarmBytes = int64_t{16} << 20;
  const int64_t keep = stores_of_process() <= kStoresKeptWarm
                           ? kWarmBytes / (geometry_.sets * geometry_.page_bytes)
                           : 0;
  for (int64_t set = 0; set < geometry_.sets; ++set) {
    Set& each = set_at(set);
    for (int64_t way = keep; way < each.backed; ++way) {
      arena_.give_back(place_of(slot_at(set, way)));
    }
    each.backed = std::min(each.backed.load(), keep);
  }
}

PageStore::Page::~Page() {
  if (store_ != nullptr) {
    set_->lock.unlock();
  }
}

const std::byte* PageStore::Page::data() const { return store_->data_of(*slot_); }

int64_t PageStore::Page::valid() const {
  return slot_->loaded ? std::max(slot_->valid.load(), slot_->dirty.end) : slot_->dirty.end;
}

void PageStore::Page::put(int64_t at, std::span<const std::byte> bytes) {
  const Change change(*slot_);
  const Extent range{at, at + static_cast<int64_t>(bytes.size())};
  std::copy(bytes.begin(), bytes.end(), store_->data_of(*slot_) + at);
  slot_->dirty_bytes += store_->bits_of(*slot_).mark(range);
  slot_->dirty = hull(slot_->dirty, range);
  slot_->end.store((slot_->tag.load(std::memory_order_relaxed) - 1) * store_->geometry_.page_bytes +
                       slot_->dirty.end,
                   std::memory_order_relaxed);
}

// Who completes pages lags behind those that began them: these have the time to write them out.
Status PageStore::Page::settle() {
  if (slot_->dirty_bytes < store_->geometry_.page_bytes || store_->offer(*slot_)) {
    return {};
  }
  return store_->write_out(*slot_);
}

PageStore::Slot* PageStore::find(Set& set, int64_t number) const {
  const int64_t index = number % geometry_.sets;
  for (int64_t i = 0; i < set.backed; ++i) {
    const int64_t way = (set.recent + i) % set.backed;
    Slot& slot = slot_at(index, way);
    if (slot.tag.load(std::memory_order_relaxed) == number + 1) {
      slot.stamp = ++set.age;
      set.recent = way;
      return &slot;
    }
  }
  return nullptr;
}

PageStore::Slot* PageStore::oldest(Set& set, bool clean) const {
  const int64_t index = &set - &set_at(0);
  Slot* found = nullptr;
  for (int64_t way = 0; way < set.backed; ++way) {
    Slot& slot = slot_at(index, way);
    const bool fits = clean ? slot.dirty_bytes == 0 : true;
    if (fits && (found == nullptr || slot.stamp < found->stamp)) {
      found = &slot;
    }
  }
  return found;
}

PageStore::Slot* PageStore::grow(Set& set) {
  if (set.backed == geometry_.ways) {
    return nullptr;
  }
  Slot& slot = slot_at(&set - &set_at(0), set.backed);
  const Extent place = place_of(slot);
  if (reserved_by_process() + place.length() > terms_.budget_bytes || !arena_.reserve(place)) {
    return nullptr;
  }
  reserved_ += place.length();
  reserved_by_process() += place.length();
  {
    const Change change(slot);
    slot.forget();
  }
  ++set.backed;
  return &slot;
}

void PageStore::bind(Set& set, Slot& slot, int64_t number) {
  const Change change(slot);
  slot.forget();
  slot.tag.store(number + 1, std::memory_order_relaxed);
  slot.stamp = ++set.age;
  head().present.fetch_add(1);
}

void PageStore::drop(Slot& slot) {
  const Change change(slot);
  slot.forget();
  head().present.fetch_sub(1);
}

// A free place, else a new one, else that of the oldest page; clean ones first. Readers do with
// few places: a page that went too early is read again.
Result<PageStore::Slot*> PageStore::take_slot(Set& set, int64_t number, IoKind kind) {
  constexpr int64_t kWaysToRead = 4;
  Slot* slot = oldest(set, true);
  const bool more = kind == IoKind::kWrite || set.backed < kWaysToRead;
  if (slot == nullptr || (!slot->expendable() && more)) {
    Slot* fresh = grow(set);
    slot = fresh != nullptr ? fresh : slot;
  }
  if (slot == nullptr) {
    slot = oldest(set, false);
    if (slot == nullptr) {
      return fail(ErrorClass::kNoMemory, "no memory for pages");
    }
    if (auto written = write_out(*slot); !written) {
      return fail(written.error());
    }
  }
  if (!slot->free()) {
    drop(*slot);
  }
  bind(set, *slot, number);
  return slot;
}

// A page that is not there yet needs room.
Result<PageStore::Slot*> PageStore::find_patiently(Set& set, int64_t number,
                                                   std::unique_lock<PageLock>& lock) {
  if (Slot* slot = find(set, number); slot != nullptr || !expected(set, number)) {
    return slot;
  }
  if (auto waited = wait_for_room(set, lock); !waited) {
    return fail(waited.error());
  }
  Slot* slot = find(set, number);
  return slot != nullptr ? slot : take_slot(set, number, IoKind::kWrite);
}

// Somebody was here not long ago, or comes from the page before: more is likely to follow. A page
// for a lone write would only take the room of others.
bool PageStore::expected(Set& set, int64_t number) {
  if (!terms_.lone_writes_past) {
    return true;
  }
  auto& latest = head().latest[static_cast<size_t>(number % kStreams)];
  const bool follows = number == 0 || head().latest[static_cast<size_t>((number - 1) % kStreams)] ==
                                          number;  // that is, the page before, and one
  latest.store(number + 1, std::memory_order_relaxed);
  return follows || set.seen_before(number);
}

// Ranks that share cores, or began earlier, are ahead of others, and pages wait half full for
// these. As long as pages are completed somewhere it pays to wait, offering the core, and to write
// out what is complete. If not, nobody waits for a while.
Status PageStore::wait_for_room(Set& set, std::unique_lock<PageLock>& lock) {
  constexpr int kOffers = 64;
  constexpr int64_t kPause = 16;
  lock.unlock();
  auto helped = help();
  lock.lock();
  if (!helped || has_room(set) || head().pause.fetch_sub(1, std::memory_order_relaxed) > 0) {
    return helped ? Status{} : fail(helped.error());
  }
  int idle = 0;
  while (helped && idle < kOffers && !has_room(set)) {
    lock.unlock();
    helped = help();
    idle = helped && *helped ? 0 : idle + 1;
    sched_yield();
    lock.lock();
  }
  head().pause.store(idle < kOffers ? 0 : kPause, std::memory_order_relaxed);
  return helped ? Status{} : fail(helped.error());
}

bool PageStore::has_room(Set& set) const {
  const Slot* slot = oldest(set, true);
  return set.backed == 0 || (slot != nullptr && slot->expendable());
}

// The page tables of this process at once, instead of fault by fault.
void PageStore::map_here(const Slot& slot) {
#ifdef MADV_POPULATE_WRITE
  auto& known = mapped_[static_cast<size_t>(index_of(slot))];
  if (!known.load(std::memory_order_relaxed)) {
    known.store(true, std::memory_order_relaxed);
    madvise(data_of(slot), static_cast<size_t>(place_of(slot).length()), MADV_POPULATE_WRITE);
  }
#endif
}

Result<std::optional<PageStore::Page>> PageStore::page_to_write(int64_t number,
                                                                const IoPiece& part) {
  Set& set = set_of(number);
  std::unique_lock lock(set.lock);
  const auto slot = find_patiently(set, number, lock);
  const bool no_room = !slot && slot.error().code == ErrorClass::kNoMemory;
  if (no_room || (slot && *slot == nullptr)) {
    // Under the lock: nobody loads the page meanwhile.
    const Outcome written = terms_.storage->transfer(IoKind::kWrite, {&part, 1});
    return written.ok() ? Result<std::optional<Page>>(std::nullopt) : fail(written.error);
  }
  if (!slot) {
    return fail(slot.error());
  }
  map_here(**slot);
  lock.release();
  return std::optional<Page>(std::in_place, *this, set, **slot);
}

bool PageStore::in_date(const Slot& slot) const {
  return terms_.longest_use_ms == std::numeric_limits<int64_t>::max() ||
         coarse_ms() - slot.loaded_ms.load(std::memory_order_relaxed) <= terms_.longest_use_ms;
}

// ThreadSanitizer cannot know that bytes copied during a change are thrown away.
bool PageStore::peek([[maybe_unused]] int64_t number, [[maybe_unused]] int64_t at,
                     [[maybe_unused]] std::span<std::byte> into) {
#ifdef __SANITIZE_THREAD__
  return false;
#else
  const int64_t index = number % geometry_.sets;
  const int64_t backed = set_at(index).backed.load(std::memory_order_relaxed);
  for (int64_t way = 0; way < backed; ++way) {
    Slot& slot = slot_at(index, way);
    if (slot.tag.load(std::memory_order_relaxed) != number + 1) {
      continue;
    }
    const uint64_t version = slot.version.load(std::memory_order_acquire);
    const bool there = version % 2 == 0 && slot.tag.load(std::memory_order_relaxed) == number + 1 &&
                       slot.loaded.load(std::memory_order_relaxed) && in_date(slot) &&
                       slot.valid.load(std::memory_order_relaxed) >= at + std::ssize(into);
    if (!there) {
      return false;
    }
    map_here(slot);
    std::memcpy(into.data(), data_of(slot) + at, into.size());
    std::atomic_thread_fence(std::memory_order_acquire);
    reads_.count(number);
    return slot.version.load(std::memory_order_relaxed) == version;
  }
  return false;
#endif
}

bool PageStore::worth_loading(Set& set, int64_t number) {
  const int64_t reads = reads_.count(number);
  return terms_.reads_worth_loading > 0 ? reads >= terms_.reads_worth_loading
                                        : set.seen_before(number);
}

// While somebody else loads a page, its reader does not wait but loads the next one: by then both
// are there.
void PageStore::load_ahead(int64_t number) {
  Set& set = set_of(number);
  const std::unique_lock lock(set.lock, std::try_to_lock);
  if (!lock || find(set, number) != nullptr) {
    return;
  }
  if (auto slot = take_slot(set, number, IoKind::kRead); slot) {
    map_here(**slot);
    (void)load(**slot);  // a page that cannot be read is met again by who wants it
  }
}

Result<std::optional<PageStore::Page>> PageStore::page_to_read(int64_t number, Extent wanted) {
  Set& set = set_of(number);
  std::unique_lock lock(set.lock, std::defer_lock);
  if (!terms_.read_only) {
    lock.lock();
  } else if (!lock.try_lock()) {
    if (worth_loading(set, number)) {
      load_ahead(number + 1);
    }
    if (!lock.try_lock()) {
      return std::optional<Page>();
    }
  }
  Slot* slot = find(set, number);
  if (slot != nullptr && slot->dirty_bytes == 0 && !in_date(*slot)) {
    drop(*slot);
    slot = nullptr;
  }
  if (slot == nullptr && !worth_loading(set, number)) {
    return std::optional<Page>();
  }
  if (slot == nullptr) {
    auto taken = take_slot(set, number, IoKind::kRead);
    if (!taken) {
      return taken.error().code == ErrorClass::kNoMemory ? Result<std::optional<Page>>(std::nullopt)
                                                         : fail(taken.error());
    }
    slot = *taken;
  }
  map_here(*slot);
  if (!slot->loaded && !bits_of(*slot).all(wanted)) {
    if (auto loaded = load(*slot); !loaded) {
      return fail(loaded.error());
    }
  }
  lock.release();
  return std::optional<Page>(std::in_place, *this, set, *slot);
}

// What every rank has had is the first to go.
void PageStore::Page::took(int64_t bytes) {
  slot_->taken += bytes;
  if (slot_->taken >= store_->geometry_.page_bytes) {
    slot_->stamp = 0;
  }
}

// Around what was written and is not on storage yet.
Status PageStore::load(Slot& slot) {
  static thread_local RawBuffer scratch;
  const Change change(slot);
  const int64_t begin = (slot.tag.load(std::memory_order_relaxed) - 1) * geometry_.page_bytes;
  const bool dirty = slot.dirty_bytes > 0;
  const auto size = static_cast<size_t>(geometry_.page_bytes);
  const auto into =
      dirty ? scratch.take(geometry_.page_bytes) : std::span<std::byte>(data_of(slot), size);
  const Outcome got = terms_.storage->read_at(begin, into);
  if (!got.ok()) {
    if (!dirty) {
      drop(slot);
    }
    return fail(got.error);
  }
  std::fill(into.begin() + got.bytes, into.end(), std::byte{0});
  if (dirty) {
    bits_of(slot).each_run({0, geometry_.page_bytes}, false, [&](Extent run) {
      std::copy_n(into.data() + run.begin, run.length(), data_of(slot) + run.begin);
    });
  }
  slot.loaded = true;
  slot.valid = got.bytes;
  slot.loaded_ms = coarse_ms();
  return {};
}

bool PageStore::holds_pages() const { return head().present.load() > 0; }

int64_t PageStore::dirty_end() const {
  int64_t end = 0;
  for (int64_t set = 0; set < geometry_.sets; ++set) {
    for (int64_t way = 0; way < geometry_.ways; ++way) {
      end = std::max(end, slot_at(set, way).end.load(std::memory_order_relaxed));
    }
  }
  return end;
}

}  // namespace longshore
