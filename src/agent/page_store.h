// agent/page_store.h - pages of one file in memory that the ranks of a node share.
//
// The second stage of write-behind (liao-2007) and the block buffers of data shipping (prost-2000),
// on the node of a page's owner. Small writes are put into pages; a page that is full goes to
// storage at once, the others when their room is needed or at a flush, and then only the bytes that
// were written. Small reads find bytes there that are not on storage yet, and a page is read once
// for all ranks of the node.
//
// Pages live in sets: page p in set p mod sets, at one of the set's places (ways). A set has one
// lock, held for a copy or a storage call, and its own order of age. Ranks work in the pages
// themselves: no message, no thread.
//
// Example: 64 KiB pages in 64 sets of 4 ways, 16 MiB. Ranks 0 and 1 write records of 64 bytes in
// turn: 1,024 records fill page 0, and who wrote the last of them writes 64 KiB to storage.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "agent/dirty_bits.h"
#include "agent/page_lock.h"
#include "agent/read_streams.h"
#include "comm/communicator.h"
#include "core/extent.h"
#include "core/result.h"
#include "storage/storage.h"

namespace longshore {

// Equal on all ranks of a node.
struct PageGeometry {
  int64_t page_bytes = 64 * 1024;  // a multiple of 64
  int64_t sets = 64;
  int64_t ways = 4;

  // The geometry of at most `cache_bytes` in pages of page_bytes (brought to a multiple of 4 KiB).
  [[nodiscard]] static PageGeometry of(int64_t page_bytes, int64_t cache_bytes);
  [[nodiscard]] size_t arena_bytes() const;
  friend bool operator==(const PageGeometry&, const PageGeometry&) = default;
};

// Of `parts` that flush at the same time, this is number `part`: they begin at different pages.
struct FlushShare {
  int64_t part = 0;
  int64_t parts = 1;
};

class PageStore {
 public:
  struct Set;
  struct Slot;

  // Pages that are written out stay for readers if `readable`. This process reserves at most
  // budget_bytes over all its stores. Without storage a store can only be prepared.
  struct Terms {
    Storage* storage = nullptr;
    bool readable = false;
    int64_t budget_bytes = int64_t{64} << 20;
    // A lone write is cheap on storage: it makes no page.
    bool lone_writes_past = false;
    // A page is loaded when this process is known or likely to read so often in it; 0: at anybody's
    // second read.
    int64_t reads_worth_loading = 0;
    // Nobody writes through this file: storage is as good as any page.
    bool read_only = false;
    // What was loaded is used for so long, so that a program that does not sync sees what others
    // have written by other means nearly as soon as without pages.
    int64_t longest_use_ms = std::numeric_limits<int64_t>::max();
  };
  PageStore(Arena& arena, const PageGeometry& geometry, const Terms& terms);
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  // By one process of the node before any other uses the store: empties it.
  [[nodiscard]] Status prepare();
  // By one process of the node after all others are done: gives memory back.
  void retire();

  // A page, locked for this thread until it goes.
  class Page {
   public:
    Page(PageStore& store, Set& set, Slot& slot) : store_(&store), set_(&set), slot_(&slot) {}
    Page(Page&& other) noexcept : store_(other.store_), set_(other.set_), slot_(other.slot_) {
      other.store_ = nullptr;
    }
    Page& operator=(Page&&) = delete;
    ~Page();
    [[nodiscard]] const std::byte* data() const;
    // Puts bytes at an offset in the page.
    void put(int64_t at, std::span<const std::byte> bytes);
    // If the page is full, offers it to the next rank that begins a page, or writes it out if many
    // wait already. A failure leaves it as it was.
    [[nodiscard]] Status settle();
    // The caller has copied so many bytes out.
    void took(int64_t bytes);
    // Bytes from the page's begin on that are the file's, as far as this page knows.
    [[nodiscard]] int64_t valid() const;

   private:
    friend class PageStore;
    PageStore* store_;
    Set* set_;
    Slot* slot_;
  };

  // The page to write into. None if `part`, which lies in it, has been written to storage instead:
  // where there is no memory, or, as the terms may say, at the first access to a page that nobody
  // was led to, by its neighbour say. Failures may be of another page that had to go and could not
  // be written.
  [[nodiscard]] Result<std::optional<Page>> page_to_write(int64_t number, const IoPiece& part);
  // Copies bytes of a page (from the offset `at` in it on) that is loaded, without a lock: many
  // ranks read the same page at once. False if the page is not here as a whole, or just changing.
  [[nodiscard]] bool peek(int64_t number, int64_t at, std::span<std::byte> into);
  // The page with the bytes `wanted` (offsets in the page) as they are in the file. None if it is
  // not here and not worth loading yet, or somebody else is at it and storage is as good.
  [[nodiscard]] Result<std::optional<Page>> page_to_read(int64_t number, Extent wanted);

  // True if some page is here. What this process did itself is always seen.
  [[nodiscard]] bool holds_pages() const;
  // Writes out and drops the pages that meet `range`: all that this process has put there before.
  // Adjoining pages go in one call. Those that cannot be written stay, unless they never will be:
  // these are given up.
  [[nodiscard]] Status expel(Extent range, FlushShare share = {});
  // Fails if bytes were given up since the last time: whoever of the node asks first tells all.
  [[nodiscard]] Status take_lost();
  // For a flush by other means, while nobody uses the store: this part's dirty bytes, in file
  // order, and afterwards, if they are on storage, their pages dropped.
  [[nodiscard]] std::vector<IoPiece> dirty_pieces(FlushShare share) const;
  void drop_pages(FlushShare share);
  // The end of the last byte that is not on storage yet; 0 if there is none.
  [[nodiscard]] int64_t dirty_end() const;

  [[nodiscard]] const PageGeometry& geometry() const { return geometry_; }

 private:
  static constexpr int64_t kStreams = 64;  // places in the file where pages are begun
  struct Head;
  class Change;
  class Joined;
  [[nodiscard]] Head& head() const;
  [[nodiscard]] Set& set_at(int64_t index) const;
  [[nodiscard]] Set& set_of(int64_t number) const { return set_at(number % geometry_.sets); }
  [[nodiscard]] Slot& slot_at(int64_t set, int64_t way) const;
  [[nodiscard]] int64_t index_of(const Slot& slot) const;
  [[nodiscard]] Extent place_of(const Slot& slot) const;
  [[nodiscard]] std::byte* data_of(const Slot& slot) const;
  [[nodiscard]] DirtyBits bits_of(const Slot& slot) const;

  [[nodiscard]] Slot* find(Set& set, int64_t number) const;
  [[nodiscard]] Result<Slot*> find_patiently(Set& set, int64_t number,
                                             std::unique_lock<PageLock>& lock);
  [[nodiscard]] bool expected(Set& set, int64_t number);
  [[nodiscard]] Status wait_for_room(Set& set, std::unique_lock<PageLock>& lock);
  [[nodiscard]] bool has_room(Set& set) const;
  [[nodiscard]] bool offer(const Slot& slot);
  [[nodiscard]] Result<bool> help();
  void map_here(const Slot& slot);
  [[nodiscard]] Result<Slot*> take_slot(Set& set, int64_t number, IoKind kind);
  [[nodiscard]] Slot* oldest(Set& set, bool clean) const;
  [[nodiscard]] Slot* grow(Set& set);
  void bind(Set& set, Slot& slot, int64_t number);
  void drop(Slot& slot);
  [[nodiscard]] bool in_date(const Slot& slot) const;
  [[nodiscard]] bool worth_loading(Set& set, int64_t number);
  void load_ahead(int64_t number);
  [[nodiscard]] Status load(Slot& slot);
  void add_dirty(const Slot& slot, std::vector<IoPiece>& pieces) const;
  [[nodiscard]] Status write_out(Slot& slot);
  void now_clean(Slot& slot);
  void give_up(Slot& slot, const Error& reason);
  [[nodiscard]] Status write_each(std::span<Slot* const> slots);
  [[nodiscard]] std::vector<int64_t> pages_in(Extent range) const;
  [[nodiscard]] std::vector<Slot*> slots_of(FlushShare share) const;
  [[nodiscard]] Status expel_run(std::span<const int64_t> numbers, size_t& done);

  Arena& arena_;
  PageGeometry geometry_;
  Terms terms_;
  std::atomic<int64_t> reserved_{0};       // by this process
  std::vector<std::atomic<bool>> mapped_;  // by this process, by slot
  ReadStreams reads_;
};

}  // namespace longshore
