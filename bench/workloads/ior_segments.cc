// IOR: segment after segment, each with one block of 1 MiB per rank. One call per segment, of one
// block; the memory is contiguous.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int64_t kBlockBytes = int64_t{1} << 20;

}  // namespace

Workload make_ior_segments(const Part& part) {
  const int64_t segments = std::max<int64_t>(1, part.bytes / part.ranks / kBlockBytes);
  std::vector<Call> calls;
  for (int64_t segment = 0; segment < segments; ++segment) {
    calls.push_back({(segment * part.ranks + part.rank) * kBlockBytes, segment * kBlockBytes});
  }
  return {0, contiguous(kBlockBytes), contiguous(kBlockBytes), segments * kBlockBytes,
          std::move(calls)};
}

}  // namespace longshore::bench
