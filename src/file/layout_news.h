// file/layout_news.h - how rank 0 tells the others what a file's layout is.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "comm/communicator.h"
#include "core/result.h"
#include "file/hints.h"
#include "layout/layout.h"
#include "layout/striping.h"

namespace longshore {

// Rides in a message with other news. A plain layout is all in it; the words of a long one follow
// in a message of their own.
struct LayoutNews {
  static constexpr size_t kRoom = 8;

  int64_t words = 0;
  std::array<int64_t, kRoom> first{};
  StripingOutcome striping = StripingOutcome::kNotAsked;
};

[[nodiscard]] LayoutNews news_of(const Layout& layout, StripingOutcome striping);

// Collective, after rank 0's `news` have come to all: its layout. `own` counts on rank 0 only.
[[nodiscard]] Result<Layout> share_layout(Communicator& comm, const LayoutNews& news,
                                          const Layout& own);

// What get_info says of a file's stripes: those that it has, not those that were asked for, and
// what became of the question.
void put_striping(const Layout& layout, StripingOutcome striping, HintMap& info);

}  // namespace longshore
