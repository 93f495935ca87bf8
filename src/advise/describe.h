// advise/describe.h - what was decided, in words: the same for reports and for `longshore explain`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "collective/strategy.h"
#include "core/counters.h"
#include "core/decisions.h"
#include "independent/way.h"

namespace longshore {

// The words of the hints.
[[nodiscard]] const char* name(PartitionKind kind);
[[nodiscard]] const char* name(ExchangeKind kind);
[[nodiscard]] const char* name(PipelineKind kind);
// "shm", or "shm+rma_fence" where the exchange between hosts is not `two_sided`.
[[nodiscard]] std::string exchange_name(const Strategy& strategy);

// "two phases: 2 aggregators, even partition, shm exchange, comm pipeline, buffers of 1 MiB", or
// "every rank for itself".
[[nodiscard]] std::string describe(const Strategy& strategy);
// Equal if describe() is.
[[nodiscard]] uint64_t fingerprint(const Strategy& strategy);

// "through pages in memory", and why a transfer of that kind goes so.
[[nodiscard]] const char* describe(Way way);
[[nodiscard]] const char* reason_of(Way way, IoKind kind);

// The ways that independent calls went, from their counters; those that none went are left out.
[[nodiscard]] std::vector<Decision> independent_decisions(const CounterValues& values);

// "1 MiB", "1000 bytes": with a unit where that is exact.
[[nodiscard]] std::string bytes_in_words(int64_t bytes);

}  // namespace longshore
