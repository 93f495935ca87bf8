// model.h - what the file, its views and its pointers must be at each moment of a case.
#pragma once

#include "plan.h"
#include "reference.h"
#include "view_gen.h"

namespace random_test {

// The same on every rank: each rank models all ranks.
struct Model {
  int ranks = 1;
  ReferenceFile file;
  ViewSet views;
  std::vector<int64_t> pointer_etypes;  // individual, per rank
  int64_t shared_etypes = 0;
  int amode = 0;
  bool atomic = false;
  bool eof_allowed = true;      // reads may end at the end of the file
  bool rewrite_allowed = true;  // a rank may touch a byte twice in a phase
  bool holes_are_zero = true;   // false: bytes that nobody wrote may be anything
  Claims claims;
  int64_t phase_start_bytes = 0;  // the file's size when the phase began
  // Per rank: the least size that it must see, by what it has written itself in this phase.
  std::vector<int64_t> own_end_bytes;

  const View& view(int rank) const { return views.views[static_cast<size_t>(rank)]; }

  void set_views(ViewSet set);
  void start_phase();

  // Fixes the position of `op` and what it must move, and carries it out on the reference.
  // An access that would conflict with another one of the phase, or whose outcome the standard
  // leaves open, becomes an access of count 0.
  void place(Op& op, bool phase_has_writes);

  // True if the file's byte must have the value that the reference has.
  bool is_binding(int64_t position) const { return holes_are_zero || file.known(position); }

  // Etypes between the shared pointer and the end of the file that lie wholly in the file.
  int64_t whole_etypes_after(int64_t etype) const;
};

}  // namespace random_test
