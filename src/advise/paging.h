// advise/paging.h - which independent transfers go through pages in memory (write-behind).
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "independent/access.h"
#include "layout/layout.h"

namespace longshore {

enum class WriteBehindKind { kAutomatic, kTwoStage, kOneStage, kOff };

// Ranks by name, in rising order. Plain memory: rank 0 sends it with the other options.
struct AgentRanks {
  static constexpr size_t kMost = 64;
  std::array<int, kMost> ranks{};
  int32_t count = 0;
  [[nodiscard]] std::span<const int> all() const {
    return std::span(ranks).first(static_cast<size_t>(count));
  }
};

// What the program asked for; 0: as fits.
struct WriteBehindOptions {
  static constexpr int kOnePerNode = -1;
  WriteBehindKind kind = WriteBehindKind::kAutomatic;
  int agents = 0;            // how many ranks own pages; 0: all
  AgentRanks agent_ranks{};  // or which; those that the file does not have are left out
  int64_t page_bytes = 0;
  int64_t cache_bytes = 0;  // of each rank, over all its files
  int64_t subbuffer_bytes = 64 * 1024;
};

// Who asks for sieved writes gets them: they do not go with pages, and automatic means none then.
[[nodiscard]] WriteBehindOptions beside_sieving(WriteBehindOptions options, bool sieves_writes);

// The options with what fits in the place of 0.
[[nodiscard]] WriteBehindOptions in_effect(WriteBehindOptions options, const Layout& layout,
                                           bool one_host);

// Nobody shares a file of one rank with it; pages of other hosts need a thread that serves them.
[[nodiscard]] bool may_have_pages(const WriteBehindOptions& wished, int ranks, bool one_host,
                                  bool background_threads);

// True for a local file system, if nothing else is wished.
[[nodiscard]] bool pages_are_local(const WriteBehindOptions& wished, const Layout& layout,
                                   bool one_host);
// Over hosts a client's own cache reads faster than an owner answers: only what is not on storage
// yet is asked for, unless data shipping is wished.
[[nodiscard]] bool reads_go_past_pages(const WriteBehindOptions& wished, bool one_host);

// Where reads go past pages, a file that nobody writes needs none, and no agent that waits for
// messages beside the ranks that read.
[[nodiscard]] WriteBehindOptions if_written(WriteBehindOptions options, bool written,
                                            bool one_host);

// Pieces below this go through pages.
[[nodiscard]] int64_t small_piece_bytes(IoKind kind, bool local, int64_t page_bytes);
[[nodiscard]] bool suits_pages(const Access& access, bool local, int64_t page_bytes);

}  // namespace longshore
