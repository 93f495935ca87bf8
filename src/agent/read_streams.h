// agent/read_streams.h - how densely this process reads, page by page.
//
// Loading a page pays if many small reads follow in it. A process that walks through a file tells
// by the page before; one that jumps about never gets there.
//
// Example: rows of 1 KiB, every fourth of them ours: 16 reads in each page of 64 KiB. The reads in
// the first page count one by one; in the second page the first read knows that 16 will follow.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace longshore {

// Threads may read at the same time: then counts may be a little off, which only guides.
class ReadStreams {
 public:
  // One more read in a page. Returns how many are known or likely to be in it.
  int64_t count(int64_t page) {
    Entry& entry = entry_of(page);
    if (entry.page.load(std::memory_order_relaxed) != page + 1) {
      const Entry& before = entry_of(page - 1);
      const bool follows = page > 0 && before.page.load(std::memory_order_relaxed) == page;
      set(entry.page, page + 1);
      set(entry.reads, 0);
      set(entry.likely, follows ? before.reads.load(std::memory_order_relaxed) : 0);
    }
    const int64_t reads = entry.reads.load(std::memory_order_relaxed) + 1;
    set(entry.reads, reads);
    return std::max(reads, entry.likely.load(std::memory_order_relaxed));
  }

 private:
  static constexpr int64_t kPages = 64;
  struct Entry {
    std::atomic<int64_t> page{0};  // and one
    std::atomic<int64_t> reads{0};
    std::atomic<int64_t> likely{0};
  };
  static void set(std::atomic<int64_t>& to, int64_t value) {
    to.store(value, std::memory_order_relaxed);
  }
  Entry& entry_of(int64_t page) { return entries_[static_cast<size_t>((page + kPages) % kPages)]; }
  std::array<Entry, kPages> entries_;
};

}  // namespace longshore
