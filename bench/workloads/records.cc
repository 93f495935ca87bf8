// Records of 64 bytes appended in turn: record i belongs to rank i mod n. One call per record,
// without a view; the memory is contiguous.
#include <algorithm>

#include "workloads/workload.h"

namespace longshore::bench {
namespace {

constexpr int64_t kRecordBytes = 64;

}  // namespace

Workload make_records_64(const Part& part) {
  const int64_t records = std::max<int64_t>(1, part.bytes / part.ranks / kRecordBytes);
  std::vector<Call> calls;
  for (int64_t i = 0; i < records; ++i) {
    calls.push_back({(i * part.ranks + part.rank) * kRecordBytes, i * kRecordBytes, kRecordBytes});
  }
  return {0, plain_byte(), plain_byte(), records * kRecordBytes, std::move(calls)};
}

}  // namespace longshore::bench
