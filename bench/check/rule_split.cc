// Gropp 2008 (2), (3): one rule over two lines. A collective call should cost no more than its
// split form.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class Split final : public Rule {
 public:
  using Rule::Rule;

  int prepare(Side /*side*/, Trial& trial) const override {
    return seek(trial, own_start(trial.place));
  }
  int transfer(Side side, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      return side == Side::kA ? move_all(trial, block(trial, call))
                              : move_all_split(trial, block(trial, call));
    });
  }
};

}  // namespace

Rules make_split_rules() {
  RuleFacts facts;
  facts.number = "2";
  facts.name = "collective vs split collective";
  facts.a = "MPI_File_{write}_all";
  facts.b = "MPI_File_{write}_all_begin + MPI_File_{write}_all_end";
  facts.advice = "make the collective call begin and end, or let both share one engine";
  Rules rules;
  rules.push_back(std::make_unique<Split>(facts));
  return rules;
}

}  // namespace longshore::check
