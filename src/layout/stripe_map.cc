#include "layout/stripe_map.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace longshore {

namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

bool is_sound(const LayoutPart& part, int64_t begin) {
  const auto objects = static_cast<int64_t>(part.targets.size());
  return part.extent.begin == begin && part.extent.end > begin && part.stripe_bytes >= 1 &&
         part.width >= 1 && part.width <= std::numeric_limits<int32_t>::max() &&
         part.rows_per_set >= 1 && objects % part.width == 0 &&
         std::all_of(part.targets.begin(), part.targets.end(),
                     [](int32_t t) { return t >= 0 && t < std::numeric_limits<int32_t>::max(); });
}

int targets_of(const LayoutPart& part) {
  return part.targets.empty() ? static_cast<int>(part.width)
                              : *std::max_element(part.targets.begin(), part.targets.end()) + 1;
}

}  // namespace

StripeMap StripeMap::regular(int64_t stripe_bytes, int targets) {
  StripeMap map;
  map.parts_.push_back({{0, kEnd}, stripe_bytes, targets, 1, {}});
  map.turns_.emplace_back();
  map.targets_ = targets;
  return map;
}

Result<StripeMap> StripeMap::make(std::vector<LayoutPart> parts) {
  StripeMap map;
  int64_t reached = 0;
  for (const auto& part : parts) {
    if (!is_sound(part, reached)) {
      return fail(ErrorClass::kInvalidArgument, "a part of a layout that does not fit");
    }
    reached = part.extent.end;
    map.targets_ = std::max(map.targets_, targets_of(part));
  }
  if (reached != kEnd) {
    return fail(ErrorClass::kInvalidArgument, "a layout that does not reach to the end");
  }
  for (const auto& part : parts) {
    map.turns_.push_back(count_turns(part, map.targets_));
  }
  map.parts_ = std::move(parts);
  return map;
}

StripeMap::Turns StripeMap::count_turns(const LayoutPart& part, int targets) {
  Turns turns;
  if (part.targets.empty()) {
    return turns;
  }
  const auto width = static_cast<size_t>(part.width);
  turns.in_table.assign(static_cast<size_t>(targets), 0);
  std::vector<int64_t> row(static_cast<size_t>(targets), 0);
  for (size_t first = 0; first < part.targets.size(); first += width) {
    std::fill(row.begin(), row.end(), 0);
    for (size_t i = first; i < first + width; ++i) {
      turns.before_in_row.push_back(row[static_cast<size_t>(part.targets[i])]++);
    }
    for (size_t i = first; i < first + width; ++i) {
      const auto target = static_cast<size_t>(part.targets[i]);
      turns.in_row.push_back(row[target]);
      turns.before_set.push_back(turns.in_table[target]);
    }
    for (size_t target = 0; target < row.size(); ++target) {
      turns.in_table[target] += row[target] * part.rows_per_set;
    }
  }
  return turns;
}

int64_t StripeMap::largest_stripe_bytes() const {
  int64_t largest = 1;
  for (const auto& part : parts_) {
    largest = std::max(largest, part.stripe_bytes);
  }
  return largest;
}

Stripe StripeMap::stripe_at(int64_t offset) const {
  size_t index = 0;
  while (offset >= parts_[index].extent.end) {
    ++index;
  }
  const LayoutPart& part = parts_[index];
  Stripe stripe;
  stripe.number = offset / part.stripe_bytes;
  const int64_t begin = stripe.number * part.stripe_bytes;
  const int64_t end = kEnd - begin < part.stripe_bytes ? kEnd : begin + part.stripe_bytes;
  stripe.extent = intersect({begin, end}, part.extent);
  const int64_t row = stripe.number / part.width;
  const int64_t place = stripe.number % part.width;
  if (part.targets.empty()) {
    stripe.target = static_cast<int>(place);
    stripe.turn = row;
    return stripe;
  }
  const Turns& turns = turns_[index];
  const int64_t set = row / part.rows_per_set;
  const int64_t sets = static_cast<int64_t>(part.targets.size()) / part.width;
  const auto object = static_cast<size_t>(set % sets * part.width + place);
  stripe.target = part.targets[object];
  stripe.turn = set / sets * turns.in_table[static_cast<size_t>(stripe.target)] +
                turns.before_set[object] + row % part.rows_per_set * turns.in_row[object] +
                turns.before_in_row[object];
  return stripe;
}

}  // namespace longshore
