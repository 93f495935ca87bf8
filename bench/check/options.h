// options.h - the command line of longshore-check.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lib/check_verdict.h"

namespace longshore::check {

constexpr int kWrongBytes = 1;  // exit codes
constexpr int kUsageError = 2;

struct Options {
  std::string dir = ".";
  std::vector<std::string> rules;  // numbers; empty means all
  std::vector<int64_t> sizes;
  double budget_seconds = 60;
  cli::VerdictRules verdict;
  uint64_t seed = 1;
  int self_test = 0;  // times each of the self-test's rules, instead of the rules
  bool quick = false;
  bool verify_only = false;
  bool corrupt = false;  // flip a byte before a file is judged, for tests
};

// Handles --help and --list, for which no rank is needed, by printing; true if there was one.
[[nodiscard]] bool answer_questions(int argc, char** argv);

// Ends all ranks with kUsageError if the command line is wrong. REQUIRES: MPI is initialised.
[[nodiscard]] Options parse(int argc, char** argv);

}  // namespace longshore::check
