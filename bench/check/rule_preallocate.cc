// Gropp 2008 (6): preallocating should cost no more than writing as many bytes to a new file.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class Preallocate final : public Rule {
 public:
  using Rule::Rule;

  int transfer(Side side, Trial& trial) const override {
    const auto& place = trial.place;
    return side == Side::kA ? MPI_File_preallocate(trial.file, place.ranks * place.bytes)
                            : move_at(trial, own_start(place), block(trial, 0));
  }
};

}  // namespace

Rules make_preallocate_rules() {
  RuleFacts facts;
  facts.number = "6";
  facts.name = "preallocate vs writing";
  facts.a = "MPI_File_preallocate";
  facts.b = "MPI_File_write_at of as many bytes";
  facts.advice = "use the file system's own allocation (posix_fallocate), or write from all ranks";
  facts.directions = {Direction::kWrite};
  facts.new_file = true;
  facts.most_calls = 1;
  Rules rules;
  rules.push_back(std::make_unique<Preallocate>(facts));
  return rules;
}

}  // namespace longshore::check
