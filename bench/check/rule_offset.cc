// Gropp 2008 (1): an explicit offset should cost no more than a seek and the individual pointer.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class ExplicitOffset final : public Rule {
 public:
  using Rule::Rule;

  int transfer(Side side, Trial& trial) const override {
    const int64_t start = own_start(trial.place);
    return each_call(trial, [&](int call) {
      const int64_t at = start + call * trial.place.bytes;
      if (side == Side::kA) {
        return move_at(trial, at, block(trial, call));
      }
      const int code = seek(trial, at);
      return code == MPI_SUCCESS ? move(trial, block(trial, call)) : code;
    });
  }
};

}  // namespace

Rules make_offset_rules() {
  RuleFacts facts;
  facts.number = "1";
  facts.name = "explicit offset vs seek";
  facts.a = "MPI_File_{write}_at";
  facts.b = "MPI_File_seek + MPI_File_{write}";
  facts.advice = "carry out the explicit-offset call as the pointer call does, without the pointer";
  Rules rules;
  rules.push_back(std::make_unique<ExplicitOffset>(facts));
  return rules;
}

}  // namespace longshore::check
