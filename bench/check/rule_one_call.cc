// Gropp 2008 (2), (3), (4): a call that does everything should cost no more than the pair of calls
// that begins and ends the same work. Both are made at the individual pointer.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

using Move = int (*)(const Trial&, const Piece&);

class OneCall final : public Rule {
 public:
  OneCall(RuleFacts facts, Move whole, Move in_two)
      : Rule(std::move(facts)), whole_(whole), in_two_(in_two) {}

  int prepare(Side /*side*/, Trial& trial) const override {
    return seek(trial, own_start(trial.place));
  }
  int transfer(Side side, Trial& trial) const override {
    const Move move_block = side == Side::kA ? whole_ : in_two_;
    return each_call(trial, [&](int call) { return move_block(trial, block(trial, call)); });
  }

 private:
  Move whole_;
  Move in_two_;
};

Rules only(RuleFacts facts, Move whole, Move in_two) {
  Rules rules;
  rules.push_back(std::make_unique<OneCall>(std::move(facts), whole, in_two));
  return rules;
}

}  // namespace

// (2) and (3) are one rule over two lines.
Rules make_split_rules() {
  RuleFacts facts;
  facts.number = "2";
  facts.name = "collective vs split collective";
  facts.a = "MPI_File_{write}_all";
  facts.b = "MPI_File_{write}_all_begin + MPI_File_{write}_all_end";
  facts.advice = "make the collective call begin and end, or let both share one engine";
  return only(std::move(facts), move_all, move_all_split);
}

Rules make_nonblocking_rules() {
  RuleFacts facts;
  facts.number = "4";
  facts.name = "blocking vs nonblocking and wait";
  facts.a = "MPI_File_{write}";
  facts.b = "MPI_File_i{write} + MPI_Wait";
  facts.advice = "carry out the blocking call as the nonblocking one is, and wait inside";
  return only(std::move(facts), move, move_and_wait);
}

}  // namespace longshore::check
