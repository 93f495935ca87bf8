#include "collective/partition.h"

#include <algorithm>
#include <utility>

namespace longshore {

namespace {

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The same number of units each; the first ones take the rest.
//   [0, 10) for 3: [0,4) [4,7) [7,10)
std::vector<Extent> deal_evenly(Extent units, int aggregators) {
  const int64_t each = units.length() / aggregators;
  const int64_t rest = units.length() % aggregators;
  std::vector<Extent> domains;
  int64_t at = units.begin;
  for (int i = 0; i < aggregators; ++i) {
    const int64_t next = at + each + (i < rest ? 1 : 0);
    domains.push_back({at, next});
    at = next;
  }
  return domains;
}

Extent stripes_of(Extent range, int64_t stripe_bytes) {
  const int64_t first = range.begin / stripe_bytes;
  return {first, range.empty() ? first : (range.end - 1) / stripe_bytes + 1};
}

}  // namespace

Result<Partition> Partition::make(Extent range, const PartitionTerms& terms) {
  if (terms.aggregators < 1 || terms.window_bytes < 1 || terms.stripe_bytes < 1 ||
      terms.targets < 1 || terms.targets_per_aggregator < 1) {
    return fail(ErrorClass::kInvalidArgument, "a partition needs numbers of at least one");
  }
  Partition partition(range, terms);
  if (partition.contiguous()) {
    partition.cut_contiguous();
  } else {
    partition.cut_striped();
  }
  return partition;
}

void Partition::cut_contiguous() {
  if (terms_.kind == PartitionKind::kEven) {
    domains_ = deal_evenly(range_, terms_.aggregators);
  } else {
    domains_ = deal_evenly(stripes_of(range_, terms_.stripe_bytes), terms_.aggregators);
    for (auto& domain : domains_) {
      domain = {std::clamp(domain.begin * terms_.stripe_bytes, range_.begin, range_.end),
                std::clamp(domain.end * terms_.stripe_bytes, range_.begin, range_.end)};
    }
  }
  int64_t longest = 0;
  for (const auto& domain : domains_) {
    longest = std::max(longest, domain.length());
  }
  cycles_ = divide_up(longest, terms_.window_bytes);
  buffer_bytes_ = std::min(longest, terms_.window_bytes);
}

// Rows are as wide as there are targets; a cycle takes as many rows as fit every buffer.
void Partition::cut_striped() {
  const bool cyclic = terms_.kind == PartitionKind::kCyclic;
  width_ = cyclic ? terms_.aggregators : terms_.targets;
  served_ =
      cyclic ? 1
             : std::min(width_, std::max(terms_.targets_per_aggregator,
                                         (width_ + terms_.aggregators - 1) / terms_.aggregators));
  const int64_t stripe = terms_.stripe_bytes;
  const int64_t fitting = terms_.window_bytes / served_ / stripe;
  const int64_t fewest_servers =
      std::max<int64_t>(1, int64_t{terms_.aggregators} * served_ / width_);
  rows_ = std::max<int64_t>(1, fitting) * fewest_servers;
  chunk_bytes_ = fitting > 0 ? stripe : std::max<int64_t>(1, terms_.window_bytes / served_);
  chunks_ = divide_up(stripe, chunk_bytes_);
  const Extent stripes = stripes_of(range_, stripe);
  first_row_ = stripes.begin / width_;
  const int64_t last_row = range_.empty() ? first_row_ : (stripes.end - 1) / width_ + 1;
  cycles_ = divide_up(last_row - first_row_, rows_) * chunks_;
  buffer_bytes_ = std::min(range_.length(), std::max(terms_.window_bytes, int64_t{served_}));
}

// Target t is served by every (a, j), j < k, with (a*k + j) mod targets = t. In the order of
// a*k + j these are t, t + targets, t + 2*targets, ...; the row number says whose turn it is.
bool Partition::owns(int aggregator, int64_t stripe) const {
  const int64_t target = stripe % width_;
  const int64_t row = stripe / width_;
  const int64_t all = int64_t{terms_.aggregators} * served_;
  const int64_t servers = (all - target + width_ - 1) / width_;
  return (target + row % servers * width_) / served_ == aggregator;
}

std::vector<Section> Partition::striped_sections(int aggregator, int64_t cycle) const {
  std::vector<Section> sections;
  const int64_t row = first_row_ + cycle / chunks_ * rows_;
  const int64_t chunk = cycle % chunks_ * chunk_bytes_;
  int64_t used = 0;
  for (int64_t stripe = row * width_; stripe < (row + rows_) * width_; ++stripe) {
    const int64_t begin = stripe * terms_.stripe_bytes;
    if (begin >= range_.end) {
      break;
    }
    const Extent part = intersect(
        {begin + chunk, begin + std::min(chunk + chunk_bytes_, terms_.stripe_bytes)}, range_);
    if (!part.empty() && owns(aggregator, stripe)) {
      sections.push_back({part, used});
      used += part.length();
    }
  }
  return sections;
}

std::vector<Section> Partition::sections(int aggregator, int64_t cycle) const {
  if (!contiguous()) {
    return striped_sections(aggregator, cycle);
  }
  const Extent whole = domains_[static_cast<size_t>(aggregator)];
  const int64_t begin = whole.begin + cycle * terms_.window_bytes;
  const Extent window = intersect(whole, {begin, begin + terms_.window_bytes});
  return window.empty() ? std::vector<Section>() : std::vector<Section>{{window, 0}};
}

Extent Partition::domain(int aggregator) const {
  return contiguous() ? domains_[static_cast<size_t>(aggregator)] : range_;
}

}  // namespace longshore
