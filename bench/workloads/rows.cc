#include "workloads/rows.h"

#include <algorithm>

#include "workloads/content.h"

namespace longshore::bench {

Workload in_rows(const Workload& whole, int64_t row_bytes) {
  Workload rows{0, plain_byte(), plain_byte(), whole.memory_bytes, {}};
  for (const auto& call : whole.calls) {
    for_each_segment(whole, call, [&](const Segment& run) {
      for (int64_t at = 0; at < run.length; at += row_bytes) {
        rows.calls.push_back(
            {run.file_offset + at, run.memory_offset + at, std::min(row_bytes, run.length - at)});
      }
    });
  }
  return rows;
}

}  // namespace longshore::bench
