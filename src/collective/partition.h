// collective/partition.h - cuts the bytes of one collective call among aggregators.
// Pure arithmetic: no MPI, no file access, so it is tested without mpiexec.
#pragma once
#include <cstdint>
#include <vector>

#include "core/extent.h"
#include "core/result.h"

namespace longshore {

enum class PartitionKind { kEven, kAligned };

// One domain per aggregator, in file order; together they cover `range` exactly. `even` gives each
// the same number of bytes (the first ones take the rest, one byte each).
//   even [0, 10) for 3: [0,4) [4,7) [7,10)
// Fails with kInvalidArgument if aggregators < 1.
[[nodiscard]] Result<std::vector<Extent>> partition_even(Extent range, int aggregators);

// As above, but cut on stripe boundaries only, so that no stripe has two owners; trailing domains
// may be empty.
//   aligned [6, 22) over 4-byte stripes for 2: stripes {1,2,3} and {4,5}: [6,16) [16,22)
// Fails with kInvalidArgument if aggregators < 1 or stripe_bytes < 1.
[[nodiscard]] Result<std::vector<Extent>> partition_aligned(Extent range, int64_t stripe_bytes,
                                                            int aggregators);

// The domains of a call and the windows in which an aggregator works through its own.
class Partition {
 public:
  Partition(std::vector<Extent> domains, int64_t window_bytes);

  [[nodiscard]] int aggregators() const { return static_cast<int>(domains_.size()); }
  [[nodiscard]] Extent domain(int aggregator) const {
    return domains_[static_cast<size_t>(aggregator)];
  }
  // Cycles that the busiest aggregator needs.
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  // What an aggregator works on in a cycle; empty when it has nothing left to do.
  [[nodiscard]] Extent window(int aggregator, int64_t cycle) const;

 private:
  std::vector<Extent> domains_;
  int64_t window_bytes_;
  int64_t cycles_ = 0;
};

}  // namespace longshore
