#include "collective/partition.h"

#include <algorithm>
#include <utility>

namespace longshore {

Result<std::vector<Extent>> partition_even(Extent range, int aggregators) {
  if (aggregators < 1) {
    return fail(ErrorClass::kInvalidArgument, "a partition needs an aggregator");
  }
  const int64_t each = range.length() / aggregators;
  const int64_t rest = range.length() % aggregators;
  std::vector<Extent> domains;
  int64_t at = range.begin;
  for (int i = 0; i < aggregators; ++i) {
    const int64_t next = at + each + (i < rest ? 1 : 0);
    domains.push_back({at, next});
    at = next;
  }
  return domains;
}

Result<std::vector<Extent>> partition_aligned(Extent range, int64_t stripe_bytes, int aggregators) {
  if (stripe_bytes < 1) {
    return fail(ErrorClass::kInvalidArgument, "a stripe has at least one byte");
  }
  const Extent stripes{range.begin / stripe_bytes, range.empty()
                                                       ? range.begin / stripe_bytes
                                                       : (range.end - 1) / stripe_bytes + 1};
  auto domains = partition_even(stripes, aggregators);
  if (!domains) {
    return domains;
  }
  for (auto& domain : *domains) {
    domain = {std::clamp(domain.begin * stripe_bytes, range.begin, range.end),
              std::clamp(domain.end * stripe_bytes, range.begin, range.end)};
  }
  return domains;
}

Partition::Partition(std::vector<Extent> domains, int64_t window_bytes)
    : domains_(std::move(domains)), window_bytes_(std::max<int64_t>(1, window_bytes)) {
  for (const auto& domain : domains_) {
    cycles_ = std::max(cycles_, (domain.length() + window_bytes_ - 1) / window_bytes_);
  }
}

Extent Partition::window(int aggregator, int64_t cycle) const {
  const Extent whole = domain(aggregator);
  const int64_t begin = whole.begin + cycle * window_bytes_;
  return intersect(whole, {begin, begin + window_bytes_});
}

}  // namespace longshore
