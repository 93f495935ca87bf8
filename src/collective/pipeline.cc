#include "collective/pipeline.h"

#include "comm/patience.h"

namespace longshore {

namespace {

struct InOrder {
  Stage& first;
  Stage& second;
};

void run_whole(Stage& stage, int64_t cycle) {
  stage.begin(cycle);
  stage.end(cycle);
}

void run_serially(const InOrder& stages, int64_t cycles) {
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    run_whole(stages.first, cycle);
    run_whole(stages.second, cycle);
  }
}

// The first stage of the next cycle is under way while the second of this one runs.
void run_first_ahead(const InOrder& stages, int64_t cycles) {
  stages.first.begin(0);
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    stages.first.end(cycle);
    if (cycle + 1 < cycles) {
      stages.first.begin(cycle + 1);
    }
    run_whole(stages.second, cycle);
  }
}

// The second stage of a cycle is under way while the first of the next one runs.
void run_second_behind(const InOrder& stages, int64_t cycles) {
  run_whole(stages.first, 0);
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    stages.second.begin(cycle);
    if (cycle + 1 < cycles) {
      run_whole(stages.first, cycle + 1);
    }
    stages.second.end(cycle);
  }
}

// Of the two the exchange is ended first: it needs this thread, storage does not.
void run_both(const InOrder& stages, bool exchange_first, int64_t cycles) {
  run_whole(stages.first, 0);
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    const bool more = cycle + 1 < cycles;
    if (more) {
      stages.first.begin(cycle + 1);
    }
    stages.second.begin(cycle);
    if (more && exchange_first) {
      stages.first.end(cycle + 1);
    }
    stages.second.end(cycle);
    if (more && !exchange_first) {
      stages.first.end(cycle + 1);
    }
  }
}

// How far each stage has come: cycles begun and ended.
struct Progress {
  int64_t begun = 0;
  int64_t ended = 0;
  [[nodiscard]] bool under_way() const { return begun > ended; }
};

class DataFlow {
 public:
  DataFlow(const InOrder& stages, const Stage& exchange, int64_t cycles)
      : stages_(stages), cycles_(cycles), first_is_exchange_(&stages.first == &exchange) {}

  void run() {
    while (second_.ended < cycles_) {
      if (!begin_something()) {
        end_something();
      }
    }
  }

 private:
  static constexpr int kBuffers = 2;

  // What became possible goes first. One exchange at a time, so that all ranks have them in the
  // same order; storage may have two calls at once.
  bool begin_something() {
    if (first_.ended > second_.begun && (first_is_exchange_ || !second_.under_way())) {
      stages_.second.begin(second_.begun++);
      return true;
    }
    const bool buffer_free = first_.begun - second_.ended < kBuffers;
    if (first_.begun < cycles_ && buffer_free && (!first_is_exchange_ || !first_.under_way())) {
      stages_.first.begin(first_.begun++);
      return true;
    }
    return false;
  }

  void end_something() {
    if (!second_.under_way() || (first_.under_way() && stages_.first.ready(first_.ended))) {
      stages_.first.end(first_.ended++);
      patience_ = Patience();
    } else if (!first_.under_way() || stages_.second.ready(second_.ended)) {
      stages_.second.end(second_.ended++);
      patience_ = Patience();
    } else {
      patience_.pause();
    }
  }

  InOrder stages_;
  int64_t cycles_;
  bool first_is_exchange_;
  Progress first_;
  Progress second_;
  Patience patience_;
};

}  // namespace

void run_pipeline(PipelineKind kind, const Stages& stages, int64_t cycles) {
  if (cycles == 0) {
    return;
  }
  const InOrder order = stages.exchange_first ? InOrder{stages.exchange, stages.storage}
                                              : InOrder{stages.storage, stages.exchange};
  const bool first_ahead = (kind == PipelineKind::kComm) == stages.exchange_first;
  switch (kind) {
    case PipelineKind::kNone: return run_serially(order, cycles);
    case PipelineKind::kComm:
    case PipelineKind::kWrite:
      return first_ahead ? run_first_ahead(order, cycles) : run_second_behind(order, cycles);
    case PipelineKind::kWriteComm: return run_both(order, stages.exchange_first, cycles);
    case PipelineKind::kWriteComm2: return DataFlow(order, stages.exchange, cycles).run();
  }
}

}  // namespace longshore
