// Gropp 2008 (10): one call with a non-contiguous type of t pieces is expected to cost no more than
// t contiguous calls. In the file, dense (ranks in turn) and sparse (the paper's figures 2 and
// 3(a)); and in memory.
#include "check/calls.h"
#include "check/pieces.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

int piece_by_piece(const Trial& trial) {
  for (const auto& piece : trial.segments) {
    const int code =
        move_at(trial, piece.file, {trial.memory + piece.memory, piece.length, MPI_BYTE});
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

class FilePieces final : public Rule {
 public:
  FilePieces(RuleFacts facts, Layout layout) : Rule(std::move(facts)), layout_(layout) {}

  std::vector<Segment> segments(const Place& place) const override {
    return layout_segments(layout_, place);
  }
  int prepare(Side side, Trial& trial) const override {
    return side == Side::kA ? set_layout_view(layout_, trial) : MPI_SUCCESS;
  }
  int transfer(Side side, Trial& trial) const override {
    return side == Side::kA ? one_call_each(trial) : piece_by_piece(trial);
  }

 private:
  static int one_call_each(Trial& trial) {
    return each_call(trial, [&](int call) {
      return move_at(trial, call * trial.place.bytes, block(trial, call));
    });
  }

  Layout layout_;
};

// Pieces with gaps as long as they are, in memory; one range in the file.
class MemoryPieces final : public Rule {
 public:
  using Rule::Rule;

  std::vector<Segment> segments(const Place& place) const override {
    const int64_t length = place.bytes / kPieces;
    std::vector<Segment> all;
    for (int64_t i = 0; i < int64_t{kPieces} * place.calls; ++i) {
      all.push_back({2 * i * length, own_start(place) + i * length, length});
    }
    return all;
  }
  int64_t memory_bytes(const Place& place) const override { return 2 * place.own_bytes(); }

  int transfer(Side side, Trial& trial) const override {
    return side == Side::kA ? one_call_each(trial) : piece_by_piece(trial);
  }

 private:
  static int one_call_each(Trial& trial) {
    const auto& place = trial.place;
    const int length = static_cast<int>(place.bytes / kPieces);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kPieces, length, 2 * length, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    const int code = each_call(trial, [&](int call) {
      return move_at(trial, own_start(place) + call * place.bytes,
                     {trial.memory + 2 * call * place.bytes, 1, type});
    });
    MPI_Type_free(&type);
    return code;
  }
};

RuleFacts facts_of(const std::string& variant, const std::string& advice) {
  RuleFacts facts;
  facts.number = "10";
  facts.variant = variant;
  facts.name = "non-contiguous type vs contiguous calls, " + variant;
  facts.a = "MPI_File_{write}_at of 64 pieces";
  facts.b = "64 x MPI_File_{write}_at";
  facts.advice = advice;
  facts.expectation = true;
  return facts;
}

}  // namespace

Rules make_pieces_rules() {
  constexpr int64_t kSmall = int64_t{1} << 20;
  Rules rules;
  rules.push_back(std::make_unique<FilePieces>(
      facts_of("dense", "access the pieces as a list, or hint romio_ds_{write}=disable"),
      Layout::kInterleaved));
  auto sparse = facts_of("sparse", "do not sieve sparse pieces; hint romio_ds_{write}=disable");
  sparse.most_bytes = kSmall;
  rules.push_back(std::make_unique<FilePieces>(sparse, Layout::kSparse));
  auto memory = facts_of("in memory", "pack the pieces, or pass them to one vectored system call");
  memory.most_bytes = kSmall;
  rules.push_back(std::make_unique<MemoryPieces>(memory));
  return rules;
}

}  // namespace longshore::check
