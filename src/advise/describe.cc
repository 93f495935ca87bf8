#include "advise/describe.h"

#include <array>
#include <utility>

namespace longshore {

const char* name(PartitionKind kind) {
  switch (kind) {
    case PartitionKind::kEven: return "even";
    case PartitionKind::kAligned: return "aligned";
    case PartitionKind::kCyclic: return "cyclic";
    case PartitionKind::kOneToK: return "one_to_k";
  }
  return "unknown";
}

const char* name(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::kShm: return "shm";
    case ExchangeKind::kTwoSided: return "two_sided";
    case ExchangeKind::kRmaFence: return "rma_fence";
    case ExchangeKind::kRmaLock: return "rma_lock";
    case ExchangeKind::kGathered: return "gathered";
  }
  return "unknown";
}

const char* name(PipelineKind kind) {
  switch (kind) {
    case PipelineKind::kNone: return "none";
    case PipelineKind::kComm: return "comm";
    case PipelineKind::kWrite: return "write";
    case PipelineKind::kWriteComm: return "write_comm";
    case PipelineKind::kWriteComm2: return "write_comm_2";
  }
  return "unknown";
}

std::string exchange_name(const Strategy& strategy) {
  std::string text = name(strategy.near);
  if (strategy.near == ExchangeKind::kShm && strategy.far != ExchangeKind::kTwoSided) {
    text += std::string("+") + name(strategy.far);
  }
  return text;
}

std::string describe(const Strategy& strategy) {
  if (!strategy.two_phase) {
    return "every rank for itself";
  }
  const auto count = strategy.aggregators.size();
  std::string text = "two phases: " + std::to_string(count) +
                     (count == 1 ? " aggregator, " : " aggregators, ") +
                     name(strategy.partition.kind) + " partition, " + exchange_name(strategy) +
                     " exchange, " + name(strategy.pipeline) + " pipeline, buffers of " +
                     bytes_in_words(strategy.partition.window_bytes);
  return strategy.in_rank_order ? text + ", in the order of ranks" : text;
}

uint64_t fingerprint(const Strategy& strategy) {
  if (!strategy.two_phase) {
    return 0;
  }
  uint64_t key = static_cast<uint64_t>(strategy.partition.window_bytes);
  const auto mix = [&key](uint64_t value) { key = key * 0x9E3779B97F4A7C15U + value; };
  mix(strategy.aggregators.size());
  mix(static_cast<uint64_t>(strategy.partition.kind));
  mix(static_cast<uint64_t>(strategy.near));
  mix(static_cast<uint64_t>(strategy.far));
  mix(static_cast<uint64_t>(strategy.pipeline));
  mix(strategy.in_rank_order ? 2 : 1);
  return key;
}

const char* describe(Way way) {
  switch (way) {
    case Way::kDirect: return "directly, in one piece";
    case Way::kList: return "as a list of pieces";
    case Way::kSieve: return "sieved, the pieces picked out of a range";
    case Way::kPages: return "through pages in memory";
  }
  return "unknown";
}

const char* reason_of(Way way, IoKind kind) {
  const bool writes = kind == IoKind::kWrite;
  switch (way) {
    case Way::kDirect: return "the bytes are contiguous, and too many for a page or pages are off";
    case Way::kList:
      return writes ? "scattered pieces, too large for pages or pages are off"
                    : "scattered pieces, too large or too far apart to be read as a range";
    case Way::kSieve:
      return writes ? "romio_ds_write=enable asks for it" : "small pieces that lie close together";
    case Way::kPages:
      return writes ? "small pieces are joined before they go to the file"
                    : "small pieces are read a page at a time, and others may have written them";
  }
  return "unknown";
}

std::vector<Decision> independent_decisions(const CounterValues& values) {
  constexpr std::array kWays{Way::kDirect, Way::kList, Way::kSieve, Way::kPages};
  constexpr std::array kKinds{std::pair{IoKind::kWrite, Counter::kWritesDirect},
                              std::pair{IoKind::kRead, Counter::kReadsDirect}};
  std::vector<Decision> found;
  for (const auto& [kind, first] : kKinds) {
    for (size_t i = 0; i < kWays.size(); ++i) {
      const int64_t calls = values[static_cast<size_t>(first) + i];
      if (calls > 0) {
        found.push_back({kind == IoKind::kWrite ? "write" : "read", describe(kWays[i]),
                         reason_of(kWays[i], kind), calls});
      }
    }
  }
  return found;
}

std::string bytes_in_words(int64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{" bytes", " KiB", " MiB", " GiB"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

}  // namespace longshore
