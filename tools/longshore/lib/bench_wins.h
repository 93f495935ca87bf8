// lib/bench_wins.h - which value of a swept hint is fastest, how often (as feki-2020, table I).
#pragma once
#include <string>
#include <vector>

#include "lib/bench_summary.h"

namespace longshore::cli {

// One value's standing with one MPI in one direction.
struct ValueWins {
  std::string key;
  std::string value;
  MpiKind mpi = MpiKind::kOpenMpi;
  std::string op;
  int contests = 0;  // that it took part in, with at least one other value
  int wins = 0;      // with the fastest median
  int clear = 0;     // of these, with a range that is above the others' ranges
};

// A contest is between the values of one hint, all else being equal: workload, ranks, directory,
// direction, MPI and the values of the other swept hints. A value that did not run to its end in
// some contest loses it. Keys and values in the order of the sweep; nothing without a sweep.
//
// Worked example: a sweep of a=1,2 and b=x,y over one workload has, for each direction, two
// contests between the values of a (one with b=x, one with b=y) and two between those of b.
[[nodiscard]] std::vector<ValueWins> count_wins(const std::vector<SummaryRow>& rows);

}  // namespace longshore::cli
