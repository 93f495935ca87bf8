// layout/layout.h - how a file is spread over storage.
#pragma once
#include <cstdint>

namespace longshore {

// Stripes of stripe_bytes go round robin over the targets. A plain file system has one target, and
// its stripe is the block that it prefers to move.
struct Layout {
  int64_t stripe_bytes = 1;
  int targets = 1;
  bool striped = false;  // several servers hold the file, and cuts between stripes matter

  [[nodiscard]] int target_of(int64_t offset) const {
    return static_cast<int>(offset / stripe_bytes % targets);
  }
};

// What is known of a file on a plain file system: its block size, or what a hint says (0: nothing).
// Striping hints describe the file to the planner there; they do not change it.
[[nodiscard]] Layout plain_layout(int64_t block_bytes, int64_t hinted_stripe_bytes,
                                  int64_t hinted_targets);

}  // namespace longshore
