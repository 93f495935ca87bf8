// Random layouts, and a model of them that counts step by step.
#pragma once
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "layout/stripe_map.h"

namespace longshore::testing_support {

// One to three parts, the later ones beginning anywhere; some without a table.
inline std::vector<LayoutPart> draw_parts() {
  std::vector<LayoutPart> parts;
  const int count = *rc::gen::inRange(1, 4);
  int64_t reached = 0;
  for (int i = 0; i < count; ++i) {
    LayoutPart part;
    part.extent.begin = reached;
    reached += *rc::gen::inRange<int64_t>(1, 900);
    part.extent.end = i + 1 < count ? reached : std::numeric_limits<int64_t>::max();
    part.stripe_bytes = *rc::gen::inRange<int64_t>(1, 150);
    part.width = *rc::gen::inRange<int64_t>(1, 6);
    part.rows_per_set = *rc::gen::inRange<int64_t>(1, 4);
    const int64_t sets = *rc::gen::inRange<int64_t>(0, 4);
    for (int64_t object = 0; object < sets * part.width; ++object) {
      part.targets.push_back(*rc::gen::inRange(0, 7));
    }
    parts.push_back(part);
  }
  return parts;
}

struct NaiveStripe {
  Extent extent;
  int64_t number = 0;
  int target = 0;
  size_t part = 0;
};

// Walks stripe by stripe from the begin of the file.
inline NaiveStripe naive_stripe(const std::vector<LayoutPart>& parts, int64_t offset) {
  NaiveStripe found;
  while (!parts[found.part].extent.contains(offset)) {
    ++found.part;
  }
  const LayoutPart& part = parts[found.part];
  int64_t place = 0;
  int64_t row_in_set = 0;
  size_t set_begin = 0;
  int64_t begin = 0;
  while (begin + part.stripe_bytes <= offset) {
    begin += part.stripe_bytes;
    ++found.number;
    if (++place == part.width) {
      place = 0;
      if (++row_in_set == part.rows_per_set) {
        row_in_set = 0;
        set_begin += static_cast<size_t>(part.width);
        set_begin = set_begin >= part.targets.size() ? 0 : set_begin;
      }
    }
  }
  found.extent = intersect({begin, begin + part.stripe_bytes}, part.extent);
  found.target = part.targets.empty() ? static_cast<int>(place)
                                      : part.targets[set_begin + static_cast<size_t>(place)];
  return found;
}

}  // namespace longshore::testing_support
