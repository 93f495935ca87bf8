// Gropp 2008 (11): a collective call is expected to cost no more than the independent one through
// the same view. Interleaved, which collective I/O is made for; most data in another's part of the
// file, the paper's figures 3(b) and 4; and separate ranges, where there is nothing to merge.
#include "check/calls.h"
#include "check/pieces.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

class Collective final : public Rule {
 public:
  Collective(RuleFacts facts, Layout layout) : Rule(std::move(facts)), layout_(layout) {}

  std::vector<Segment> segments(const Place& place) const override {
    return layout_segments(layout_, place);
  }
  int prepare(Side /*side*/, Trial& trial) const override {
    return set_layout_view(layout_, trial);
  }
  int transfer(Side side, Trial& trial) const override {
    return each_call(trial, [&](int call) {
      const int64_t at = call * trial.place.bytes;
      return side == Side::kA ? move_at_all(trial, at, block(trial, call))
                              : move_at(trial, at, block(trial, call));
    });
  }

 private:
  Layout layout_;
};

std::unique_ptr<Rule> make(const std::string& variant, Layout layout, const std::string& advice) {
  RuleFacts facts;
  facts.number = "11";
  facts.variant = variant;
  facts.name = "collective vs independent, " + variant;
  facts.a = "MPI_File_{write}_at_all";
  facts.b = "MPI_File_{write}_at";
  facts.advice = advice;
  facts.expectation = true;
  return std::make_unique<Collective>(facts, layout);
}

}  // namespace

Rules make_collective_rules() {
  Rules rules;
  rules.push_back(make("interleaved", Layout::kInterleaved,
                       "tune cb_nodes and cb_buffer_size; fewer messages per cycle"));
  rules.push_back(make("elsewhere", Layout::kElsewhere,
                       "go straight to the file where pieces are large: romio_cb_{write}=disable"));
  rules.push_back(make("separate", Layout::kSeparate,
                       "find out cheaply that nothing overlaps: romio_cb_{write}=disable"));
  return rules;
}

}  // namespace longshore::check
