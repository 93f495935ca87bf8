#include "shared_check.h"

#include <algorithm>

namespace random_test {

namespace {

// Depth-first search for an order of records that spells the region.
class OrderSearch {
 public:
  OrderSearch(const std::vector<uint8_t>& region, const std::vector<Record>& records)
      : region_(region), records_(records), used_(records.size(), false) {}

  bool find(size_t at) {
    if (at == region_.size()) {
      return std::all_of(used_.begin(), used_.end(), [](bool used) { return used; });
    }
    for (size_t i = 0; i < records_.size(); ++i) {
      if (!used_[i] && may_come_now(i) && matches(i, at)) {
        used_[i] = true;
        if (find(at + records_[i].stream.size())) {
          return true;
        }
        used_[i] = false;
      }
    }
    return false;
  }

 private:
  bool may_come_now(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      const bool earlier = records_[j].rank == records_[i].rank && records_[j].ordered;
      if (earlier && records_[i].ordered && !used_[j]) {
        return false;
      }
    }
    return true;
  }

  bool matches(size_t i, size_t at) const {
    const std::vector<uint8_t>& stream = records_[i].stream;
    return at + stream.size() <= region_.size() &&
           std::equal(stream.begin(), stream.end(), region_.begin() + static_cast<int64_t>(at));
  }

  const std::vector<uint8_t>& region_;
  const std::vector<Record>& records_;
  std::vector<bool> used_;
};

void apply(std::vector<uint8_t>& state, const AtomicWrite& write) {
  for (size_t k = 0; k < write.positions.size(); ++k) {
    const auto position = static_cast<size_t>(write.positions[k]);
    if (position >= state.size()) {
      state.resize(position + 1, 0);
    }
    state[position] = write.stream[k];
  }
}

void extend(const std::vector<uint8_t>& state, std::vector<AtomicWrite> left, bool all,
            std::vector<std::vector<uint8_t>>& out) {
  if (!all || left.empty()) {
    out.push_back(state);
  }
  for (size_t i = 0; i < left.size(); ++i) {
    std::vector<uint8_t> next = state;
    apply(next, left[i]);
    std::vector<AtomicWrite> rest = left;
    rest.erase(rest.begin() + static_cast<int64_t>(i));
    extend(next, rest, all, out);
  }
}

}  // namespace

bool is_some_order(const std::vector<uint8_t>& region, const std::vector<Record>& records) {
  std::vector<Record> filled;
  for (const Record& record : records) {
    if (!record.stream.empty()) {
      filled.push_back(record);
    }
  }
  return OrderSearch(region, filled).find(0);
}

std::vector<std::vector<uint8_t>> serial_states(const std::vector<uint8_t>& before,
                                                const std::vector<AtomicWrite>& writes, bool all) {
  std::vector<std::vector<uint8_t>> states;
  extend(before, writes, all, states);
  return states;
}

}  // namespace random_test
