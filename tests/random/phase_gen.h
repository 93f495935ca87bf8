// phase_gen.h - draws the accesses of one phase and places them in the model.
#pragma once

#include <set>

#include "model.h"
#include "rng.h"

namespace random_test {

struct PhaseLimits {
  int max_op_bytes = 600;
  int max_leaves = 96;
  int64_t span_bytes = 8192;      // explicit offsets stay within about this much
  std::set<std::string> without;  // features switched off, as in options.h

  bool has(const char* feature) const { return without.count(feature) == 0; }
};

class PhaseGen {
 public:
  PhaseGen(Rng& rng, Model& model, const PhaseLimits& limits)
      : rng_(rng), model_(model), limits_(limits) {}

  // Independent and collective accesses whose outcome is fully determined.
  Phase accesses();

  // The same, with independent and collective steps in turn, syncs between them, and questions for
  // the size of the file.
  Phase alternating_accesses();

  // Accesses by the shared pointer in no particular order: the ops are not placed, only drawn.
  Phase shared_accesses(bool write);

  // One write per writing rank to overlapping bytes, and reads of them by the other ranks, for
  // atomic mode. Ops hold their positions; nothing is carried out on the reference.
  Phase overlapping_accesses();

 private:
  struct Template {
    bool write;
    bool collective;
    Where where;
    How how;
  };

  Template draw_template(bool collective);
  Op draw_op(const Template& form, int rank);
  void draw_data(Op& op, int64_t target_bytes);
  int64_t draw_offset(const View& view);
  std::optional<Seek> draw_seek(int rank);
  void collective_step(Phase& phase);
  void mark_short_ordered(Phase& phase, Where where);
  void independent_step(Phase& phase);
  void burst_step(Phase& phase);
  void finish_op(Phase& phase, Op op);
  bool draw_direction();
  void start(Phase& phase);

  Rng& rng_;
  Model& model_;
  const PhaseLimits& limits_;
  int next_id_ = 0;
  int write_percent_ = 50;
  bool phase_has_writes_ = false;
};

}  // namespace random_test
