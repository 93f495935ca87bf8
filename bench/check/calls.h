// calls.h - MPI-IO calls in the direction of a trial, and several of them until one fails.
#pragma once
#include "check/rule.h"

namespace longshore::check {

// `count` elements from or to `memory`.
struct Piece {
  std::byte* memory = nullptr;
  int64_t count = 0;
  MPI_Datatype type = MPI_BYTE;
};

[[nodiscard]] int move_at(const Trial& trial, int64_t at, const Piece& piece);
[[nodiscard]] int move_at_all(const Trial& trial, int64_t at, const Piece& piece);
// At the individual pointer.
[[nodiscard]] int move(const Trial& trial, const Piece& piece);
[[nodiscard]] int move_all(const Trial& trial, const Piece& piece);
[[nodiscard]] int move_all_split(const Trial& trial, const Piece& piece);
[[nodiscard]] int move_and_wait(const Trial& trial, const Piece& piece);
// At the shared pointer.
[[nodiscard]] int move_shared(const Trial& trial, const Piece& piece);
[[nodiscard]] int move_ordered(const Trial& trial, const Piece& piece);
[[nodiscard]] int seek(const Trial& trial, int64_t at);

// The bytes of the operation's `call`, contiguous in memory.
[[nodiscard]] inline Piece block(const Trial& trial, int call) {
  return {trial.memory + call * trial.place.bytes, trial.place.bytes, MPI_BYTE};
}

// Where the rank's own range begins, if its segments are those of Rule.
[[nodiscard]] inline int64_t own_start(const Place& place) {
  return place.rank * place.own_bytes();
}

// one(call) for each call of the trial, until one does not return MPI_SUCCESS.
template <typename One>
[[nodiscard]] int each_call(const Trial& trial, One one) {
  int code = MPI_SUCCESS;
  for (int call = 0; call < trial.place.calls && code == MPI_SUCCESS; ++call) {
    code = one(call);
  }
  return code;
}

}  // namespace longshore::check
