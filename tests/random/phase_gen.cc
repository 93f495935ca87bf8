#include "phase_gen.h"

#include <algorithm>
#include <numeric>

#include "type_gen.h"

namespace random_test {

bool PhaseGen::draw_direction() { return rng_.chance(write_percent_); }

PhaseGen::Template PhaseGen::draw_template(bool collective) {
  Template form{draw_direction(), collective, Where::kExplicit, How::kBlocking};
  const bool sequential = (model_.amode & MPI_MODE_SEQUENTIAL) != 0;
  if (sequential ||
      (collective && model_.views.same && limits_.has("ordered") && rng_.chance(25))) {
    form.where = Where::kShared;
  } else {
    form.where = rng_.pick({Where::kExplicit, Where::kIndividual});
  }
  const bool split = collective && limits_.has("split");
  const bool nonblocking =
      limits_.has("nonblocking") && !(collective && form.where == Where::kShared);
  switch (rng_.below(4)) {
    case 0: form.how = nonblocking ? How::kNonblocking : How::kBlocking; break;
    case 1: form.how = split ? How::kSplit : How::kBlocking; break;
    default: break;
  }
  return form;
}

int64_t PhaseGen::draw_offset(const View& view) {
  const int64_t tiles = std::max<int64_t>(1, limits_.span_bytes / view.filetype->extent);
  return rng_.below(std::max<int64_t>(1, tiles * view.filetype->size / view.etype_bytes()));
}

std::optional<Seek> PhaseGen::draw_seek(int rank) {
  const View& view = model_.view(rank);
  if (view.tile.empty()) {
    return std::nullopt;
  }
  const int64_t now = model_.pointer_etypes[static_cast<size_t>(rank)];
  const int64_t want = draw_offset(view);
  switch (rng_.below(phase_has_writes_ || !limits_.has("seek_end") ? 2 : 3)) {
    case 0: return Seek{want, MPI_SEEK_SET};
    case 1: return Seek{want - now, MPI_SEEK_CUR};
    default: {
      const int64_t end = view.end_etype(model_.file.size());
      return Seek{rng_.range(-std::min<int64_t>(end, 20), 3), MPI_SEEK_END};
    }
  }
}

void PhaseGen::draw_data(Op& op, int64_t target_bytes) {
  const View& view = model_.view(op.rank);
  const int64_t etype_bytes = view.etype_bytes();
  MemoryTypeLimits limits;
  limits.max_leaves = limits_.max_leaves;
  limits.external32 = view.external32();
  limits.overlap = op.write && rng_.chance(30) && limits_.has("wild");
  limits.derived = limits_.has("derived");
  limits.wild = limits_.has("wild");
  limits.empty = limits_.has("empty");
  limits.pairs = limits_.has("pairs");
  op.type = random_memory_type(rng_, 1, limits);
  if (op.type->size > 0) {
    // The smallest count that makes whole etypes, times as many as the target allows.
    const int64_t unit = etype_bytes / std::gcd(op.type->size, etype_bytes);
    op.count = static_cast<int>(unit * std::max<int64_t>(1, target_bytes / (unit * op.type->size)));
  } else {
    op.count = rng_.int_range(0, 3);
  }
  const int64_t span = std::abs(op.type->extent) * op.count;
  const bool too_wide = span > (1 << 20) || op.requested_bytes() > 4 * target_bytes + 512;
  if (too_wide || (!limits.overlap && !is_disjoint(*op.type, op.count))) {
    op.type = make_byte();
    op.count = static_cast<int>(etype_bytes * std::max<int64_t>(1, target_bytes / etype_bytes));
  }
}

Op PhaseGen::draw_op(const Template& form, int rank) {
  Op op;
  op.id = next_id_++;
  op.rank = rank;
  op.write = form.write;
  op.collective = form.collective;
  op.where = form.where;
  op.how = form.how;
  op.fill_seed = rng_.next();
  op.bottom = rng_.chance(8) && limits_.has("bottom");
  op.large_count = rng_.chance(20);
  op.wait_before = rng_.chance(20);
  draw_data(op, rng_.range(1, limits_.max_op_bytes));
  if (rng_.chance(form.collective ? 12 : 6)) {
    op.count = 0;
  }
  if (form.where == Where::kExplicit) {
    op.offset_etypes = model_.view(rank).tile.empty() ? 0 : draw_offset(model_.view(rank));
  } else if (form.where == Where::kIndividual) {
    op.seek = rng_.chance(35) ? draw_seek(rank) : std::nullopt;
    op.check_position = form.how != How::kSplit && rng_.chance(40);
  }
  return op;
}

void PhaseGen::finish_op(Phase& phase, Op op) {
  model_.place(op, phase_has_writes_);
  const int rank = op.rank;
  phase.ops[static_cast<size_t>(rank)].push_back(std::move(op));
}

void PhaseGen::collective_step(Phase& phase) {
  const Template form = draw_template(true);
  // With one view for all, ranks take turns in it, or every access but the first would conflict.
  const bool in_turn =
      form.where == Where::kExplicit && model_.views.same && (form.write || rng_.chance(50));
  int64_t next = draw_offset(model_.view(0));
  for (int r = 0; r < model_.ranks; ++r) {
    Op op = draw_op(form, r);
    if (in_turn) {
      op.offset_etypes = next;
      next += op.requested_bytes() / model_.view(r).etype_bytes() + rng_.pick({0, 0, 3});
    } else if (form.where == Where::kIndividual && model_.views.same && form.write) {
      const int64_t now = model_.pointer_etypes[static_cast<size_t>(r)];
      op.seek = rng_.chance(50) ? Seek{next, MPI_SEEK_SET} : Seek{next - now, MPI_SEEK_CUR};
      next += op.requested_bytes() / model_.view(r).etype_bytes();
    }
    finish_op(phase, std::move(op));
  }
  mark_short_ordered(phase, form.where);
}

void PhaseGen::mark_short_ordered(Phase& phase, Where where) {
  const bool any = where == Where::kShared &&
                   std::any_of(phase.ops.begin(), phase.ops.end(),
                               [](const auto& list) { return list.back().short_read; });
  for (auto& list : phase.ops) {
    if (any) {
      list.back().set_shared_etypes = model_.shared_etypes;
    }
  }
}

void PhaseGen::independent_step(Phase& phase) {
  for (int r = 0; r < model_.ranks; ++r) {
    const int count = rng_.int_range(0, 2);
    for (int i = 0; i < count; ++i) {
      finish_op(phase, draw_op(draw_template(false), r));
    }
  }
}

// Small and large accesses of a rank to bytes that it has just had to do with, apart from those of
// the others.
void PhaseGen::burst_step(Phase& phase) {
  constexpr int64_t kNearEtypes = 100;
  for (int r = 0; r < model_.ranks; ++r) {
    const View& view = model_.view(r);
    if (view.tile.empty()) {
      continue;
    }
    const int64_t etypes =
        limits_.span_bytes / view.filetype->extent * view.filetype->size / view.etype_bytes();
    const int64_t base = model_.views.same ? r * etypes / model_.ranks : draw_offset(view);
    for (int i = rng_.int_range(2, 6); i > 0; --i) {
      Op op = draw_op({draw_direction(), false, Where::kExplicit, How::kBlocking}, r);
      if (rng_.chance(50)) {
        draw_data(op, rng_.range(1, 60));
      }
      op.offset_etypes = base + rng_.below(kNearEtypes);
      finish_op(phase, std::move(op));
    }
  }
}

void PhaseGen::start(Phase& phase) {
  phase.ops.resize(static_cast<size_t>(model_.ranks));
  write_percent_ = rng_.pick({100, 0, 60});
  if ((model_.amode & MPI_MODE_RDONLY) != 0) {
    write_percent_ = 0;
  } else if ((model_.amode & MPI_MODE_WRONLY) != 0) {
    write_percent_ = 100;
  }
  phase_has_writes_ = write_percent_ > 0;
  phase.has_writes = phase_has_writes_;
  model_.start_phase();
  model_.eof_allowed = limits_.has("eof");
}

Phase PhaseGen::accesses() {
  Phase phase;
  start(phase);
  const bool sequential = (model_.amode & MPI_MODE_SEQUENTIAL) != 0;
  const int steps = rng_.int_range(1, 4);
  for (int i = 0; i < steps; ++i) {
    if (sequential || rng_.chance(60)) {
      collective_step(phase);
    } else {
      independent_step(phase);
    }
  }
  return phase;
}

Phase PhaseGen::alternating_accesses() {
  Phase phase;
  start(phase);
  const int steps = rng_.int_range(2, 4);
  for (int i = 0; i < steps; ++i) {
    independent_step(phase);
    burst_step(phase);
    for (auto& list : phase.ops) {
      for (Op& op : list) {
        op.check_size = limits_.has("sizes");
      }
    }
    const bool sync = rng_.chance(40);
    collective_step(phase);
    for (auto& list : phase.ops) {
      list.back().sync_before = sync;
    }
  }
  if (rng_.chance(50)) {
    burst_step(phase);  // what the phase leaves behind is not on storage
  }
  return phase;
}

Phase PhaseGen::shared_accesses(bool write) {
  Phase phase;
  phase.ops.resize(static_cast<size_t>(model_.ranks));
  phase.has_writes = write;
  write_percent_ = write ? 100 : 0;
  const int64_t etype_bytes = model_.view(0).etype_bytes();
  int64_t left = write ? 1 << 20 : model_.whole_etypes_after(model_.shared_etypes);
  int records = 0;
  for (int r = 0; r < model_.ranks; ++r) {
    for (int i = rng_.int_range(0, 2); i > 0 && records < 8; --i) {
      const How how =
          limits_.has("nonblocking") && rng_.chance(30) ? How::kNonblocking : How::kBlocking;
      Op op = draw_op({write, false, Where::kShared, how}, r);
      const int64_t etypes = op.requested_bytes() / etype_bytes;
      // Records of a few bytes could be mistaken for the start of another one.
      if (etypes > left || op.requested_bytes() < 8) {
        op.count = 0;
      }
      records += op.count > 0 ? 1 : 0;
      left -= op.requested_bytes() / etype_bytes;
      phase.ops[static_cast<size_t>(r)].push_back(std::move(op));
    }
  }
  return phase;
}

Phase PhaseGen::overlapping_accesses() {
  Phase phase;
  phase.ops.resize(static_cast<size_t>(model_.ranks));
  phase.has_writes = true;
  const bool collective = rng_.chance(40);
  const int writers = std::min(model_.ranks, 3);
  const int64_t base = draw_offset(model_.view(0));
  for (int r = 0; r < model_.ranks; ++r) {
    const bool write = collective || r < writers;
    Op op = draw_op({write, collective, Where::kExplicit, How::kBlocking}, r);
    op.offset_etypes = base + rng_.range(0, 6);
    if (model_.view(r).tile.empty() || (collective && r >= writers)) {
      op.count = 0;
    }
    Model scratch = model_;
    scratch.start_phase();
    scratch.place(op, true);
    phase.ops[static_cast<size_t>(r)].push_back(std::move(op));
  }
  return phase;
}

}  // namespace random_test
