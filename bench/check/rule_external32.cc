// Gropp 2008 (9): the native representation should cost no more than external32, which converts.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class External32 final : public Rule {
 public:
  using Rule::Rule;

  int prepare(Side side, Trial& trial) const override {
    char native[] = "native";
    char external[] = "external32";
    return MPI_File_set_view(trial.file, 0, MPI_INT, MPI_INT, side == Side::kA ? native : external,
                             MPI_INFO_NULL);
  }
  int transfer(Side /*side*/, Trial& trial) const override {
    const int64_t ints = trial.place.bytes / static_cast<int64_t>(sizeof(int));
    const int64_t start = own_start(trial.place) / static_cast<int64_t>(sizeof(int));
    return each_call(trial, [&](int call) {
      auto piece = block(trial, call);
      piece.count = ints;
      piece.type = MPI_INT;
      return move_at(trial, start + call * ints, piece);
    });
  }
};

}  // namespace

Rules make_external32_rules() {
  RuleFacts facts;
  facts.number = "9";
  facts.name = "native vs external32";
  facts.a = "MPI_File_{write}_at, native";
  facts.b = "MPI_File_{write}_at, external32";
  facts.advice = "do for native what is done for external32, without the conversion";
  facts.b_is_external32 = true;
  Rules rules;
  rules.push_back(std::make_unique<External32>(facts));
  return rules;
}

}  // namespace longshore::check
