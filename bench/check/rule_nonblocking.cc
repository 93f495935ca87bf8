// Gropp 2008 (4): a blocking call should cost no more than the nonblocking one and a wait.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class Nonblocking final : public Rule {
 public:
  using Rule::Rule;

  int prepare(Side /*side*/, Trial& trial) const override {
    return seek(trial, own_start(trial.place));
  }
  int transfer(Side side, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      return side == Side::kA ? move(trial, block(trial, call))
                              : move_and_wait(trial, block(trial, call));
    });
  }
};

}  // namespace

Rules make_nonblocking_rules() {
  RuleFacts facts;
  facts.number = "4";
  facts.name = "blocking vs nonblocking and wait";
  facts.a = "MPI_File_{write}";
  facts.b = "MPI_File_i{write} + MPI_Wait";
  facts.advice = "carry out the blocking call as the nonblocking one is, and wait inside";
  Rules rules;
  rules.push_back(std::make_unique<Nonblocking>(facts));
  return rules;
}

}  // namespace longshore::check
