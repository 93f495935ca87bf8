// shared_check.h - judges accesses whose order the standard leaves open.
#pragma once

#include <cstdint>
#include <vector>

namespace random_test {

// Data moved by one access through the shared file pointer.
struct Record {
  int rank = 0;
  bool ordered = true;  // comes after the same rank's earlier ordered records
  std::vector<uint8_t> stream;
};

// True if `region` is the concatenation of all records in some order in which every rank's
// ordered records keep their sequence. Works for up to some ten records.
bool is_some_order(const std::vector<uint8_t>& region, const std::vector<Record>& records);

// A write of atomic mode: bytes and where they go.
struct AtomicWrite {
  std::vector<int64_t> positions;
  std::vector<uint8_t> stream;
};

// All states of a file that start with `before` and apply some of `writes`, each at most once, in
// some order; with `all`, only those that apply every write.
std::vector<std::vector<uint8_t>> serial_states(const std::vector<uint8_t>& before,
                                                const std::vector<AtomicWrite>& writes, bool all);

}  // namespace random_test
