// Gropp 2008 (5): default consistency should cost no more than atomic mode, which promises more.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class Atomic final : public Rule {
 public:
  using Rule::Rule;

  int prepare(Side side, Trial& trial) const override {
    return side == Side::kB ? MPI_File_set_atomicity(trial.file, 1) : MPI_SUCCESS;
  }
  int transfer(Side /*side*/, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      return move_at(trial, own_start(trial.place) + call * trial.place.bytes, block(trial, call));
    });
  }
};

}  // namespace

Rules make_atomic_rules() {
  RuleFacts facts;
  facts.number = "5";
  facts.name = "default vs atomic mode";
  facts.a = "MPI_File_{write}_at, default consistency";
  facts.b = "MPI_File_{write}_at, atomic mode";
  facts.advice = "do in default mode what is done in atomic mode, without its locks";
  Rules rules;
  rules.push_back(std::make_unique<Atomic>(facts));
  return rules;
}

}  // namespace longshore::check
