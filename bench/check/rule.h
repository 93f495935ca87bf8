// rule.h - a rule of performance: operation A should be no slower than operation B, which moves the
// same bytes.
//
// A trial of a rule: the file is opened with the side's hints and prepared (views, atomic mode),
// which is not timed; then `transfer` makes all calls, which is timed, for writes with the close. A
// rule is one small file that derives from Rule, and a line in registry.cc.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace longshore::check {

enum class Direction { kWrite, kRead };
enum class Side { kA, kB };

// What one rank has to do.
struct Place {
  int rank = 0;
  int ranks = 1;
  Direction direction = Direction::kWrite;
  int64_t bytes = 0;  // of one rank in one operation
  int calls = 1;      // operations in a trial

  [[nodiscard]] int64_t own_bytes() const { return bytes * calls; }
};

// Bytes of a rank's memory and where they stand in the file.
struct Segment {
  int64_t memory = 0;
  int64_t file = 0;
  int64_t length = 0;
};

struct Trial {
  Place place;
  MPI_File file = MPI_FILE_NULL;
  std::byte* memory = nullptr;    // Rule::memory_bytes() of them
  std::vector<Segment> segments;  // Rule::segments(), made before time is taken
};

using Hints = std::vector<std::pair<std::string, std::string>>;

struct RuleFacts {
  std::string number;   // of the formula in Gropp 2008, 12 for its last expectation
  std::string variant;  // tells rules of one number apart; may be empty
  std::string name;     // "explicit offset vs seek"
  std::string a;        // in MPI's words, with {write} for write or read
  std::string b;
  std::string advice;  // what would mend it
  std::vector<Direction> directions = {Direction::kWrite, Direction::kRead};
  int64_t most_bytes = int64_t{64} << 20;  // of an operation
  int most_calls = 4096;                   // in a trial
  bool expectation = false;                // rather than a requirement
  bool any_order = false;                  // blocks of `bytes` may stand in any order
  bool new_file = false;                   // the file is made in the trial, and full of zeros
  bool b_is_external32 = false;            // B's file has the bytes of each int reversed
  bool in_quick = true;                    // measured with --quick too
};

class Rule {
 public:
  explicit Rule(RuleFacts facts) : facts_(std::move(facts)) {}
  virtual ~Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  [[nodiscard]] const RuleFacts& facts() const { return facts_; }

  // Which bytes the rank moves, in the order of memory. Here: one range of its own.
  [[nodiscard]] virtual std::vector<Segment> segments(const Place& place) const {
    return {{0, place.rank * place.own_bytes(), place.own_bytes()}};
  }
  [[nodiscard]] virtual int64_t memory_bytes(const Place& place) const { return place.own_bytes(); }

  [[nodiscard]] virtual Hints hints(Side /*side*/, const Place& /*place*/) const { return {}; }
  // Collective, after the open. Returns MPI's code, as `transfer` does.
  [[nodiscard]] virtual int prepare(Side /*side*/, Trial& /*trial*/) const { return MPI_SUCCESS; }
  [[nodiscard]] virtual int transfer(Side side, Trial& trial) const = 0;

 private:
  RuleFacts facts_;
};

using Rules = std::vector<std::unique_ptr<Rule>>;

}  // namespace longshore::check
