// How a rank carries out its accesses of a phase.
#include <cstdio>

#include "case_runner.h"

namespace random_test {

void CaseRunner::run_phase(const Phase& phase) {
  describe_phase(phase);
  Lives lives;
  execute(phase, lives);
  check_lives(lives);
}

void CaseRunner::run_accesses() {
  run_phase(PhaseGen(rng_, model_, limits_).accesses());
  sync_point(true);
}

void CaseRunner::run_alternating() {
  run_phase(PhaseGen(rng_, model_, limits_).alternating_accesses());
  leave_phase();
}

// By a sync, or by another call at which the file itself has all bytes.
void CaseRunner::leave_phase() {
  const int64_t how = rng_.below(5);
  if (how < 3) {
    polite_barrier(comm_);
    agree();
  }
  if (how == 0) {
    leaving_ = true;
  } else if (how == 1 && writable() && has("resize")) {
    set_size();
  } else if (how == 2 && atomic_case_) {
    set_atomicity(!model_.atomic);
    polite_barrier(comm_);
  } else {
    sync_point(true);
  }
  if (has("query") && !leaving_ && !stopped_) {
    query();
  }
}

void CaseRunner::execute(const Phase& phase, Lives& lives) {
  bool short_read = false;
  for (const Op& op : phase.ops[static_cast<size_t>(rank_)]) {
    start_op(op, lives);
    short_read |= op.short_read;
  }
  finish_open(lives, How::kSplit);
  finish_requests(lives);
  if (short_read && !sequential()) {
    const int64_t pointer = model_.pointer_etypes[static_cast<size_t>(rank_)];
    ok(MPI_File_seek(file_, pointer, MPI_SEEK_SET), "MPI_File_seek");
  }
}

void CaseRunner::start_op(const Op& op, Lives& lives) {
  // A collective may not start within a split one; where the individual pointer stands in between
  // is not said either.
  if (op.collective || op.where == Where::kIndividual) {
    finish_open(lives, How::kSplit);
  }
  if (op.wait_before || op.sync_before) {
    finish_requests(lives);
  }
  if (op.sync_before && writable()) {
    ok(MPI_File_sync(file_), "MPI_File_sync");
  }
  std::snprintf(current_activity, sizeof current_activity, "phase %d: %s", phase_number_,
                describe(op).c_str());
  lives.push_back(std::make_unique<Live>(op, model_.view(rank_).external32()));
  Live& live = *lives.back();
  ++accesses_;
  moving_ += op.requested_bytes() > 0 && !(op.short_read && op.positions.empty()) ? 1 : 0;
  ok(live.start(file_), describe(op).c_str());
  if (op.set_shared_etypes) {
    finish_open(lives, How::kSplit);
    set_shared_pointer(*op.set_shared_etypes);
  }
  if (op.short_read && op.where == Where::kIndividual) {
    finish_open(lives, How::kSplit);
    after_short_read(op);
  } else if (op.check_position) {
    check_position(op.pointer_after_etypes);
  }
  if (op.check_size) {
    check_size(op.own_end_bytes);
  }
}

// Whether a read that ends at the end of the file advances the pointer by what was asked for or by
// what came is disputed; both pass, and the pointer is set to the former.
void CaseRunner::after_short_read(const Op& op) {
  const int64_t etype_bytes = model_.view(rank_).etype_bytes();
  const int64_t missing =
      (op.requested_bytes() - static_cast<int64_t>(op.positions.size())) / etype_bytes;
  MPI_Offset position = -1;
  ok(MPI_File_get_position(file_, &position), "MPI_File_get_position");
  const bool plausible =
      position <= op.pointer_after_etypes && position >= op.pointer_after_etypes - missing - 1;
  if (!plausible) {
    fail("pointer " + std::to_string(position) + " after a short read, expected " +
         std::to_string(op.pointer_after_etypes) + " or " + std::to_string(missing) + " less");
  }
  ok(MPI_File_seek(file_, op.pointer_after_etypes, MPI_SEEK_SET), "MPI_File_seek");
}

void CaseRunner::set_shared_pointer(int64_t etypes) {
  polite_barrier(comm_);
  ok(MPI_File_seek_shared(file_, etypes, MPI_SEEK_SET), "MPI_File_seek_shared");
  polite_barrier(comm_);
}

void CaseRunner::finish_open(Lives& lives, How how) {
  for (auto& live : lives) {
    if (live->open() && live->op().how == how) {
      ok(live->finish(file_), "completion");
    }
  }
}

void CaseRunner::finish_requests(Lives& lives) {
  std::vector<MPI_Request> requests;
  std::vector<Live*> pending;
  for (auto& live : lives) {
    if (live->open() && live->op().how == How::kNonblocking) {
      requests.push_back(*live->request());
      pending.push_back(live.get());
    }
  }
  if (requests.empty()) {
    return;
  }
  std::vector<MPI_Status> statuses(requests.size());
  const auto count = static_cast<int>(requests.size());
  if (phase_number_ % 3 == 0) {
    for (int i = count - 1; i >= 0; --i) {
      ok(MPI_Wait(&requests[static_cast<size_t>(i)], &statuses[static_cast<size_t>(i)]),
         "MPI_Wait");
    }
  } else if (phase_number_ % 3 == 1) {
    int done = 0;
    while (done == 0) {
      ok(MPI_Testall(count, requests.data(), &done, statuses.data()), "MPI_Testall");
    }
  } else {
    ok(MPI_Waitall(count, requests.data(), statuses.data()), "MPI_Waitall");
  }
  for (size_t i = 0; i < pending.size(); ++i) {
    pending[i]->completed(statuses[i]);
  }
}

void CaseRunner::run_shared(bool write) {
  PhaseGen gen(rng_, model_, limits_);
  const Phase phase = gen.shared_accesses(write);
  describe_phase(phase);
  Lives lives;
  execute(phase, lives);
  if (write) {
    check_shared_write(phase);
  } else {
    check_shared_read(phase, lives);
  }
  int64_t etypes = 0;
  for (const auto& list : phase.ops) {
    for (const Op& op : list) {
      etypes += op.requested_bytes() / model_.view(0).etype_bytes();
    }
  }
  model_.shared_etypes += etypes;
  sync_point(true);
}

}  // namespace random_test
