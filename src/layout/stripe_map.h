// layout/stripe_map.h - which stripe an offset lies in, and which target holds it.
//
// A file is a row of parts, each with its own stripes (Lustre's components; elsewhere there is one
// part). Stripes are counted from the begin of the file, also in a part that begins later. `width`
// of them lie side by side in a row; `rows_per_set` rows make a set of `width` objects, behind
// which the next set begins. A table tells each object's target, set after set; where it ends it
// begins anew.
//
// Worked example: stripes of 1, width 2, two rows a set, table A B | B B. Row by row the targets
// are A B, A B, B B, B B, and then A B again. Stripe 5 (row 2, second place) is the fourth of B's,
// so its turn is 3: before it come stripes 1, 3 and 4.
#pragma once
#include <cstdint>
#include <vector>

#include "core/extent.h"
#include "core/result.h"

namespace longshore {

struct LayoutPart {
  Extent extent;
  int64_t stripe_bytes = 1;
  int64_t width = 1;
  int64_t rows_per_set = 1;
  // The targets of the objects: a multiple of width. Empty: place i of a row lies on target i.
  std::vector<int32_t> targets;

  friend bool operator==(const LayoutPart&, const LayoutPart&) = default;
};

struct Stripe {
  Extent extent;       // clipped to its part
  int64_t number = 0;  // within the file, counted in the stripes of its part
  int target = 0;
  int64_t turn = 0;  // how many stripes of its part lie on the same target before it
};

class StripeMap {
 public:
  // Stripes round robin over the targets.  REQUIRES: both at least 1.
  [[nodiscard]] static StripeMap regular(int64_t stripe_bytes, int targets);
  // Fails with kInvalidArgument unless the parts cover [0, INT64_MAX) in order, all numbers are at
  // least 1 and each table fits its part.
  [[nodiscard]] static Result<StripeMap> make(std::vector<LayoutPart> parts);

  // One more than the greatest target.
  [[nodiscard]] int targets() const { return targets_; }
  [[nodiscard]] int64_t largest_stripe_bytes() const;
  [[nodiscard]] const std::vector<LayoutPart>& parts() const { return parts_; }

  // The stripe that holds `offset`.  REQUIRES: 0 <= offset < INT64_MAX.
  [[nodiscard]] Stripe stripe_at(int64_t offset) const;

 private:
  // What turns are computed from: for each object of a table, the stripes of its target in a row
  // of its set, those before it in the row, and those in earlier sets; for each target all of the
  // table.
  struct Turns {
    std::vector<int64_t> in_row;
    std::vector<int64_t> before_in_row;
    std::vector<int64_t> before_set;
    std::vector<int64_t> in_table;
  };
  [[nodiscard]] static Turns count_turns(const LayoutPart& part, int targets);

  StripeMap() = default;

  std::vector<LayoutPart> parts_;
  std::vector<Turns> turns_;
  int targets_ = 1;
};

}  // namespace longshore
