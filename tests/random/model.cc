#include "model.h"

#include <algorithm>

namespace random_test {

namespace {

constexpr int64_t kMaxFileBytes = int64_t{8} << 20;

int64_t start_etype(const Model& model, const Op& op) {
  switch (op.where) {
    case Where::kExplicit: return op.offset_etypes;
    case Where::kIndividual: return model.pointer_etypes[static_cast<size_t>(op.rank)];
    default: return model.shared_etypes;
  }
}

void apply_seek(Model& model, const Op& op) {
  int64_t& pointer = model.pointer_etypes[static_cast<size_t>(op.rank)];
  switch (op.seek->whence) {
    case MPI_SEEK_SET: pointer = op.seek->offset_etypes; break;
    case MPI_SEEK_CUR: pointer += op.seek->offset_etypes; break;
    default:
      pointer = model.view(op.rank).end_etype(model.file.size()) + op.seek->offset_etypes;
      break;
  }
}

// Positions of all bytes that `op` asks for, in the order of the data stream.
std::vector<int64_t> requested_positions(const View& view, int64_t start_etype, int64_t bytes) {
  std::vector<int64_t> positions(static_cast<size_t>(bytes));
  for (int64_t k = 0; k < bytes; ++k) {
    positions[static_cast<size_t>(k)] = view.position(start_etype * view.etype_bytes() + k);
  }
  return positions;
}

// True if `bytes` ends between two elements: external32 does not say what half an element reads as.
bool ends_between_elements(const Op& op, int64_t bytes) {
  int64_t at = op.type->size > 0 ? bytes % op.type->size : 0;
  for (const Leaf& leaf : op.type->map) {
    if (at <= 0) {
      break;
    }
    at -= leaf.bytes;
  }
  return at == 0;
}

bool in_flight(const Model& model, const Op& op) {
  return op.how != How::kBlocking || !model.rewrite_allowed;
}

// Decides which bytes move. Returns false if the access may not happen in this phase.
bool settle(const Model& model, Op& op, bool phase_has_writes) {
  if (op.positions.empty()) {
    return true;
  }
  const int64_t last = op.positions.back();
  if (last >= kMaxFileBytes) {
    return false;
  }
  if (!op.write && phase_has_writes && last >= model.own_end_bytes[static_cast<size_t>(op.rank)]) {
    return false;
  }
  if (!op.write && last >= model.file.size()) {
    const auto end = std::lower_bound(op.positions.begin(), op.positions.end(), model.file.size());
    op.positions.erase(end, op.positions.end());
    op.short_read = true;
    // In sequential mode the shared pointer could not be set back afterwards.
    if (!model.eof_allowed || (model.amode & MPI_MODE_SEQUENTIAL) != 0) {
      return false;
    }
    const auto moved = static_cast<int64_t>(op.positions.size());
    if (model.view(op.rank).external32() && !ends_between_elements(op, moved)) {
      return false;
    }
  }
  for (int64_t position : op.positions) {
    if (!op.write && !model.is_binding(position)) {
      return false;
    }
  }
  return model.claims.admits(op.positions, op.rank, op.write, in_flight(model, op));
}

void move_bytes(Model& model, Op& op) {
  op.stream.resize(op.positions.size());
  if (!op.write) {
    for (size_t k = 0; k < op.positions.size(); ++k) {
      op.stream[k] = model.file.get(op.positions[k]);
    }
    return;
  }
  const std::vector<int64_t> memory = memory_order(op, model.view(op.rank).external32());
  for (size_t k = 0; k < op.positions.size(); ++k) {
    op.stream[k] = fill_byte(op.fill_seed, memory[k]);
    model.file.put(op.positions[k], op.stream[k]);
  }
}

}  // namespace

void Model::set_views(ViewSet set) {
  views = std::move(set);
  pointer_etypes.assign(static_cast<size_t>(ranks), 0);
  shared_etypes = 0;
}

void Model::start_phase() {
  claims.clear();
  phase_start_bytes = file.size();
  own_end_bytes.assign(static_cast<size_t>(ranks), phase_start_bytes);
}

void Model::place(Op& op, bool phase_has_writes) {
  const View& rank_view = view(op.rank);
  if (rank_view.tile.empty()) {
    op.count = 0;
    op.seek.reset();
  }
  if (op.seek) {
    apply_seek(*this, op);
  }
  const int64_t start = start_etype(*this, op);
  op.positions = requested_positions(rank_view, start, op.requested_bytes());
  if (!settle(*this, op, phase_has_writes)) {
    op.count = 0;
    op.positions.clear();
    op.short_read = false;
  }
  claims.note(op.positions, op.rank, op.write, in_flight(*this, op));
  move_bytes(*this, op);
  if (op.write && !op.positions.empty() && !in_flight(*this, op)) {
    int64_t& own_end = own_end_bytes[static_cast<size_t>(op.rank)];
    own_end = std::max(own_end, op.positions.back() + 1);
  }
  op.own_end_bytes = own_end_bytes[static_cast<size_t>(op.rank)];
  const int64_t advance = op.requested_bytes() / rank_view.etype_bytes();
  if (op.where == Where::kIndividual) {
    pointer_etypes[static_cast<size_t>(op.rank)] = start + advance;
  } else if (op.where == Where::kShared) {
    shared_etypes = start + advance;
  }
  op.pointer_after_etypes = pointer_etypes[static_cast<size_t>(op.rank)];
}

int64_t Model::whole_etypes_after(int64_t etype) const {
  const View& first = view(0);
  const int64_t bytes = first.etype_bytes();
  int64_t end = etype;
  while (first.position((end + 1) * bytes - 1) < file.size() &&
         is_binding(first.position((end + 1) * bytes - 1))) {
    ++end;
  }
  return end - etype;
}

}  // namespace random_test
