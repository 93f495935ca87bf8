// Not rules of MPI-IO but of the checker: the same operation twice, and one slowed by 30%.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

constexpr double kSlowness = 0.3;

class Same : public Rule {
 public:
  using Rule::Rule;

  int transfer(Side /*side*/, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      return move_at(trial, own_start(trial.place) + call * trial.place.bytes, block(trial, call));
    });
  }
};

// A works on for as long again as 30% of what its calls took.
class Slowed final : public Same {
 public:
  using Same::Same;

  int transfer(Side side, Trial& trial) const override {
    const double start = MPI_Wtime();
    const int code = Same::transfer(side, trial);
    const double end = MPI_Wtime();
    while (side == Side::kA && MPI_Wtime() < end + kSlowness * (end - start)) {
    }
    return code;
  }
};

RuleFacts facts_of(const std::string& name) {
  RuleFacts facts;
  facts.number = "self";
  facts.variant = name;
  facts.name = "self-test, " + name;
  facts.a = facts.b = "MPI_File_{write}_at";
  facts.directions = {Direction::kWrite};
  return facts;
}

}  // namespace

Rules make_self_rules() {
  Rules rules;
  rules.push_back(std::make_unique<Same>(facts_of("same")));
  rules.push_back(std::make_unique<Slowed>(facts_of("slowed")));
  return rules;
}

}  // namespace longshore::check
