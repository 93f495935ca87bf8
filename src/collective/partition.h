// collective/partition.h - cuts the bytes of one collective call among aggregators, and an
// aggregator's share into cycles.
//
// Pure arithmetic: no MPI, no file access, so it is tested without mpiexec.
//
//   even      one contiguous domain each, of the same number of bytes
//   aligned   the same, cut on stripe boundaries
//   cyclic    stripe i belongs to aggregator i mod n
//   one_to_k  an aggregator serves k storage targets and no other, so that a target hears few
//             clients (dickens-2010, section 3). Aggregator a serves targets a*k, a*k+1, ...
//             a*k+k-1 (mod targets); those who serve the same target take its stripes in turn. If
//             all aggregators together cannot reach every target, k is raised until they do.
//
// Which target a stripe lies on is told by the file's StripeMap; without one stripe i lies on
// target i mod targets.
//
// Under cyclic and one_to_k an aggregator works through its own stripes in file order: a cycle
// takes as many whole ones as fit the buffer. A stripe that is larger than the buffer is cut in
// chunks.
//
// Worked example, one_to_k with 2 aggregators, 4 targets, k = 2: aggregator 0 serves targets 0 and
// 1, aggregator 1 serves 2 and 3; stripes 0 1 4 5 8 9 ... and 2 3 6 7 10 11 ... With 4 aggregators,
// 2 targets and k = 1, aggregators 0 and 2 serve target 0 (stripes 0 4 8 and 2 6 10).
//
// With a map that puts stripes 0 1 2 3 on targets 0 1 1 1, and so on: of 2 aggregators with k = 1
// the first has stripes 0 4 8, the second 1 2 3 5 6 7: a target is one client's, whatever its load.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/extent.h"
#include "core/result.h"
#include "layout/stripe_map.h"

namespace longshore {

enum class PartitionKind { kEven, kAligned, kCyclic, kOneToK };

struct PartitionTerms {
  PartitionKind kind = PartitionKind::kEven;
  int aggregators = 1;
  int64_t window_bytes = 1;  // an aggregator's buffer: what it works on in one cycle
  int64_t stripe_bytes = 1;  // but for kEven
  int targets = 1;           // kOneToK
  int targets_per_aggregator = 1;
  // How the stripes really lie, instead of stripe_bytes and targets; may be null.
  std::shared_ptr<const StripeMap> stripes;
};

// A run of file bytes and its place in the aggregator's buffer.
struct Section {
  Extent extent;
  int64_t buffer_offset = 0;
  friend bool operator==(const Section&, const Section&) = default;
};

// All sections of all aggregators and cycles cover the range exactly; no two overlap. In each cycle
// an aggregator's sections rise in the file and fill at most window_bytes of its buffer.
class Partition {
 public:
  // Fails with kInvalidArgument if a number is below 1.
  [[nodiscard]] static Result<Partition> make(Extent range, const PartitionTerms& terms);

  [[nodiscard]] int aggregators() const { return terms_.aggregators; }
  // Cycles that the busiest aggregator needs.
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  // What an aggregator works on in a cycle; empty when it has nothing to do.
  [[nodiscard]] std::vector<Section> sections(int aggregator, int64_t cycle) const;
  // The hull of an aggregator's sections.
  [[nodiscard]] Extent domain(int aggregator) const;
  // Bytes of buffer that an aggregator needs at most.
  [[nodiscard]] int64_t buffer_bytes() const { return buffer_bytes_; }
  // The targets that an aggregator serves under kOneToK, after k was raised if need be.
  [[nodiscard]] int targets_served() const { return served_; }

 private:
  Partition(Extent range, const PartitionTerms& terms);
  void cut_contiguous();
  void cut_on_stripes();
  void cut_striped();
  [[nodiscard]] bool contiguous() const { return terms_.kind <= PartitionKind::kAligned; }
  [[nodiscard]] int owner(const Stripe& stripe) const;
  [[nodiscard]] std::vector<Section> striped_sections(int aggregator, int64_t cycle) const;

  Extent range_;
  PartitionTerms terms_;
  std::shared_ptr<const StripeMap> stripes_;
  int64_t cycles_ = 0;
  int64_t buffer_bytes_ = 0;
  int served_ = 1;
  // Contiguous kinds.
  std::vector<Extent> domains_;
  // Striped kinds: for each aggregator the offset at which each of its cycles begins.
  std::vector<std::vector<int64_t>> begins_;
};

}  // namespace longshore
