// Gropp 2008, the last expectation (without a number there, 12 here): an operation with a sensible
// hint is expected to cost no more than without. Collective, interleaved: cb_buffer_size as in the
// paper's figure 1, and cb_nodes; independent: the densities and use_only_contig_io that its
// section 5.2 proposes.
#include <algorithm>

#include "check/calls.h"
#include "check/pieces.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

enum class Calls { kCollective, kIndependent };

// The hint's value may depend on the number of ranks.
using MakeHints = Hints (*)(const Place& place);

struct HintCase {
  std::string variant;
  Layout layout = Layout::kInterleaved;
  Calls calls = Calls::kCollective;
  MakeHints make = nullptr;
  bool in_quick = true;
};

class SensibleHint final : public Rule {
 public:
  SensibleHint(RuleFacts facts, const HintCase& what) : Rule(std::move(facts)), case_(what) {}

  std::vector<Segment> segments(const Place& place) const override {
    return layout_segments(case_.layout, place);
  }
  Hints hints(Side side, const Place& place) const override {
    return side == Side::kA ? case_.make(place) : Hints{};
  }
  int prepare(Side /*side*/, Trial& trial) const override {
    return set_layout_view(case_.layout, trial);
  }
  int transfer(Side /*side*/, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      const int64_t at = call * trial.place.bytes;
      return case_.calls == Calls::kCollective ? move_at_all(trial, at, block(trial, call))
                                               : move_at(trial, at, block(trial, call));
    });
  }

 private:
  HintCase case_;
};

std::string half_of(int ranks) { return std::to_string(std::max(1, ranks / 2)); }

// In percent: how much of its range an interleaved operation of one rank fills.
std::string share_of(int ranks) { return std::to_string(100 / ranks); }

std::vector<HintCase> all_cases() {
  return {
      {"cb_buffer_size 1 MiB", Layout::kInterleaved, Calls::kCollective,
       [](const Place&) {
         return Hints{{"cb_buffer_size", "1048576"}};
       },
       false},
      {"cb_buffer_size 4 MiB", Layout::kInterleaved, Calls::kCollective,
       [](const Place&) {
         return Hints{{"cb_buffer_size", "4194304"}};
       },
       true},
      {"cb_buffer_size 16 MiB", Layout::kInterleaved, Calls::kCollective,
       [](const Place&) {
         return Hints{{"cb_buffer_size", "16777216"}};
       },
       true},
      {"cb_buffer_size 64 MiB", Layout::kInterleaved, Calls::kCollective,
       [](const Place&) {
         return Hints{{"cb_buffer_size", "67108864"}};
       },
       false},
      {"cb_nodes half the ranks", Layout::kInterleaved, Calls::kCollective,
       [](const Place& p) {
         return Hints{{"cb_nodes", half_of(p.ranks)}};
       },
       true},
      {"density of dense pieces", Layout::kInterleaved, Calls::kIndependent,
       [](const Place& p) {
         return Hints{{"write_density", share_of(p.ranks)}, {"read_density", share_of(p.ranks)}};
       },
       true},
      {"density of sparse pieces", Layout::kSparse, Calls::kIndependent,
       [](const Place&) {
         return Hints{{"write_density", "2"}, {"read_density", "2"}};
       },
       false},
      {"use_only_contig_io on sparse pieces", Layout::kSparse, Calls::kIndependent,
       [](const Place&) {
         return Hints{{"use_only_contig_io", "true"}};
       },
       true},
  };
}

}  // namespace

Rules make_hint_rules() {
  Rules rules;
  for (const auto& one : all_cases()) {
    RuleFacts facts;
    facts.number = "12";
    facts.variant = one.variant;
    facts.name = "hint vs none, " + one.variant;
    const std::string call =
        one.calls == Calls::kCollective ? "MPI_File_{write}_at_all" : "MPI_File_{write}_at";
    facts.a = call + " with the hint";
    facts.b = call + " without";
    facts.advice = "the hint is taken too literally, or the default has a better way: leave it out";
    facts.expectation = true;
    facts.in_quick = one.in_quick;
    if (one.layout == Layout::kSparse) {
      facts.most_bytes = int64_t{1} << 20;
    }
    rules.push_back(std::make_unique<SensibleHint>(facts, one));
  }
  return rules;
}

}  // namespace longshore::check
