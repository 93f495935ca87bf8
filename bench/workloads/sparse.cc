// Sparse access: a piece of 1 KiB at each multiple of 64 KiB, the pieces dealt in turn. All ranks
// together touch 1/64 of the range; the rest stays a hole. One call; the memory is contiguous.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int kPieceBytes = 1024;
constexpr int64_t kPitchBytes = 64 * kPieceBytes;

}  // namespace

Workload make_sparse_64(const Part& part) {
  const int64_t pieces = std::max<int64_t>(1, part.bytes / part.ranks / kPieceBytes);
  const int64_t bytes = pieces * kPieceBytes;
  return {part.rank * kPitchBytes,
          strided(kPieceBytes, part.ranks * kPitchBytes),
          contiguous(bytes),
          bytes,
          {Call{}}};
}

}  // namespace longshore::bench
