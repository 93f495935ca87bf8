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

// The begin of the stripe that holds `offset`.
int64_t stripe_begin(const StripeMap& stripes, int64_t offset) {
  return stripes.stripe_at(offset).extent.begin;
}

// Calls `take(stripe, piece)` for the pieces of `range` that no cycle may divide: stripes, or
// chunks of them, in file order. Ends when it returns false.
template <typename Take>
void walk_pieces(const StripeMap& stripes, Extent range, int64_t chunk_bytes, Take take) {
  for (int64_t at = range.begin; at < range.end;) {
    const Stripe stripe = stripes.stripe_at(at);
    const int64_t chunk = (at - stripe.extent.begin) / chunk_bytes;
    const int64_t rest = stripe.extent.end - stripe.extent.begin - chunk * chunk_bytes;
    const int64_t end = stripe.extent.end - std::max<int64_t>(0, rest - chunk_bytes);
    const Extent piece = intersect({at, end}, range);
    if (!take(stripe, piece)) {
      return;
    }
    at = piece.end;
  }
}

}  // namespace

Partition::Partition(Extent range, const PartitionTerms& terms)
    : range_(range),
      terms_(terms),
      stripes_(terms.stripes ? terms.stripes
                             : std::make_shared<const StripeMap>(
                                   StripeMap::regular(terms.stripe_bytes, terms.targets))) {}

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
    cut_on_stripes();
  }
  int64_t longest = 0;
  for (const auto& domain : domains_) {
    longest = std::max(longest, domain.length());
  }
  cycles_ = divide_up(longest, terms_.window_bytes);
  buffer_bytes_ = std::min(longest, terms_.window_bytes);
}

// The same number of stripes each; where stripes differ in size, about the same number of bytes.
void Partition::cut_on_stripes() {
  if (stripes_->parts().size() > 1) {
    domains_ = deal_evenly(range_, terms_.aggregators);
    for (size_t i = 1; i < domains_.size() && !range_.empty(); ++i) {
      const int64_t cut =
          domains_[i].begin < range_.end ? stripe_begin(*stripes_, domains_[i].begin) : range_.end;
      domains_[i].begin = std::clamp(cut, range_.begin, range_.end);
      domains_[i - 1].end = domains_[i].begin;
    }
    return;
  }
  const int64_t stripe_bytes = stripes_->parts().front().stripe_bytes;
  domains_ = deal_evenly(stripes_of(range_, stripe_bytes), terms_.aggregators);
  for (auto& domain : domains_) {
    domain = {std::clamp(domain.begin * stripe_bytes, range_.begin, range_.end),
              std::clamp(domain.end * stripe_bytes, range_.begin, range_.end)};
  }
}

void Partition::cut_striped() {
  const int targets = stripes_->targets();
  const int reach = (targets + terms_.aggregators - 1) / terms_.aggregators;
  served_ = terms_.kind == PartitionKind::kCyclic
                ? 1
                : std::min(targets, std::max(terms_.targets_per_aggregator, reach));
  begins_.resize(static_cast<size_t>(terms_.aggregators));
  std::vector<int64_t> used(begins_.size(), 0);
  walk_pieces(*stripes_, range_, terms_.window_bytes, [&](const Stripe& stripe, Extent piece) {
    const auto aggregator = static_cast<size_t>(owner(stripe));
    auto& begins = begins_[aggregator];
    if (begins.empty() || used[aggregator] + piece.length() > terms_.window_bytes) {
      begins.push_back(piece.begin);
      used[aggregator] = 0;
    }
    used[aggregator] += piece.length();
    buffer_bytes_ = std::max(buffer_bytes_, used[aggregator]);
    cycles_ = std::max(cycles_, static_cast<int64_t>(begins.size()));
    return true;
  });
}

// Target t is served by every (a, j), j < k, with (a*k + j) mod targets = t. In the order of
// a*k + j these are t, t + targets, t + 2*targets, ...; the stripe's turn says which is meant.
int Partition::owner(const Stripe& stripe) const {
  if (terms_.kind == PartitionKind::kCyclic) {
    return static_cast<int>(stripe.number % terms_.aggregators);
  }
  const int64_t targets = stripes_->targets();
  const int64_t all = int64_t{terms_.aggregators} * served_;
  const int64_t servers = (all - stripe.target + targets - 1) / targets;
  return static_cast<int>((stripe.target + stripe.turn % servers * targets) / served_);
}

std::vector<Section> Partition::striped_sections(int aggregator, int64_t cycle) const {
  const auto& begins = begins_[static_cast<size_t>(aggregator)];
  const auto index = static_cast<size_t>(cycle);
  if (index >= begins.size()) {
    return {};
  }
  const Extent span{begins[index], index + 1 < begins.size() ? begins[index + 1] : range_.end};
  std::vector<Section> sections;
  int64_t filled = 0;
  walk_pieces(*stripes_, span, terms_.window_bytes, [&](const Stripe& stripe, Extent piece) {
    if (owner(stripe) == aggregator) {
      sections.push_back({piece, filled});
      filled += piece.length();
    }
    return filled < terms_.window_bytes;
  });
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
