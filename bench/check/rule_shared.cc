// Gropp 2008 (7), (8): individual pointers should cost no more than the shared one, in independent
// calls (write vs write_shared) and in collective ones (write_all vs write_ordered). The paper has
// them for writes; reads are held to the same.
#include "check/calls.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class SharedPointer final : public Rule {
 public:
  using Rule::Rule;

  int prepare(Side side, Trial& trial) const override {
    return side == Side::kA ? seek(trial, own_start(trial.place)) : MPI_SUCCESS;
  }
  int transfer(Side side, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      return side == Side::kA ? move(trial, block(trial, call))
                              : move_shared(trial, block(trial, call));
    });
  }
};

// Blocks of all ranks in turn, as write_ordered places them; the individual pointer is moved there.
class Ordered final : public Rule {
 public:
  using Rule::Rule;

  std::vector<Segment> segments(const Place& place) const override {
    std::vector<Segment> all;
    for (int call = 0; call < place.calls; ++call) {
      all.push_back({call * place.bytes, start(place, call), place.bytes});
    }
    return all;
  }
  int transfer(Side side, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      if (side == Side::kB) {
        return move_ordered(trial, block(trial, call));
      }
      const int code = seek(trial, start(trial.place, call));
      return code == MPI_SUCCESS ? move_all(trial, block(trial, call)) : code;
    });
  }

 private:
  static int64_t start(const Place& place, int call) {
    return (static_cast<int64_t>(call) * place.ranks + place.rank) * place.bytes;
  }
};

}  // namespace

Rules make_shared_rules() {
  RuleFacts shared;
  shared.number = "7";
  shared.name = "individual vs shared pointer";
  shared.a = "MPI_File_{write}";
  shared.b = "MPI_File_{write}_shared";
  shared.advice = "look for locks or messages in the call at the individual pointer: it needs none";
  shared.any_order = true;
  RuleFacts ordered;
  ordered.number = "8";
  ordered.name = "collective vs ordered";
  ordered.a = "MPI_File_{write}_all";
  ordered.b = "MPI_File_{write}_ordered";
  ordered.advice =
      "skip the exchange where each rank's bytes are one range, as the ordered call does";
  Rules rules;
  rules.push_back(std::make_unique<SharedPointer>(shared));
  rules.push_back(std::make_unique<Ordered>(ordered));
  return rules;
}

}  // namespace longshore::check
