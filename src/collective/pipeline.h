// collective/pipeline.h - what overlaps in a collective transfer (feki-2020, algorithms 1 to 4).
//
// A transfer is a row of cycles, each of two stages: in a write bytes are exchanged, then stored;
// in a read they are loaded, then exchanged. With two buffers the stages of neighbouring cycles can
// run at the same time:
//
//   none          nothing overlaps; one buffer does
//   comm          the next cycle's exchange (in a read: this cycle's) runs behind a blocking
//                 storage call
//   write         the storage call runs behind the exchange; named after writes, for reads it is
//                 reading ahead
//   write_comm    both run, then both are waited for
//   write_comm_2  both run, and whatever ends first is followed at once by what it makes possible
//
// This file knows only the order; what a stage does is behind Stage.
#pragma once
#include <cstdint>

namespace longshore {

enum class PipelineKind { kNone, kComm, kWrite, kWriteComm, kWriteComm2 };

[[nodiscard]] constexpr int buffers_of(PipelineKind kind) {
  return kind == PipelineKind::kNone ? 1 : 2;
}
// Whether storage works while the engine goes on.
[[nodiscard]] constexpr bool stores_in_background(PipelineKind kind) {
  return kind >= PipelineKind::kWrite;
}

class Stage {
 public:
  virtual ~Stage() = default;
  virtual void begin(int64_t cycle) = 0;
  // True if end() would return at once, as far as can be told.
  [[nodiscard]] virtual bool ready(int64_t cycle) = 0;
  virtual void end(int64_t cycle) = 0;
};

struct Stages {
  Stage& exchange;
  Stage& storage;
  bool exchange_first = true;  // a write
};

// Runs all cycles. Each stage begins and ends the cycles in order and has at most one of them under
// way (storage under write_comm_2: two); a cycle's first stage ends before its second begins, and
// at most buffers_of(kind) cycles are unfinished at a time.
void run_pipeline(PipelineKind kind, const Stages& stages, int64_t cycles);

}  // namespace longshore
