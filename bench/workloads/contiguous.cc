// One large block per rank, rank after rank. One call: there is nothing to gain by two phases.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {

Workload make_contiguous(const Part& part) {
  const int64_t bytes = std::max<int64_t>(1, part.bytes / part.ranks);
  return {0, contiguous(bytes), contiguous(bytes), bytes, {Call{part.rank * bytes, 0}}};
}

}  // namespace longshore::bench
