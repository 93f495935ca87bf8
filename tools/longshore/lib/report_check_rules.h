// lib/report_check_rules.h - results of a check by rule and by MPI-IO.
#pragma once
#include <string>
#include <vector>

#include "lib/report_types.h"

namespace longshore::cli {

// "pass", "fail" or, for anything else, "undecided".
[[nodiscard]] std::string verdict_of(const CheckResult& result);
// "10 noncontiguous type vs calls".
[[nodiscard]] std::string rule_of(const CheckResult& result);
// "openmpi longshore".
[[nodiscard]] std::string subject_of(const CheckResult& result);
// "dense, write, 4 KiB, 2 ranks, /dev/shm"; what is not known is left out.
[[nodiscard]] std::string circumstances_of(const CheckResult& result);

// The rules in their order (1, 2, ... 10), the subjects in that of the file.
[[nodiscard]] std::vector<std::string> rules_of(const std::vector<CheckResult>& results);
[[nodiscard]] std::vector<std::string> subjects_of(const std::vector<CheckResult>& results);

struct VerdictCounts {
  int64_t pass = 0;
  int64_t fail = 0;
  int64_t undecided = 0;

  void add(const std::string& verdict);
  // "12 pass, 1 fail"; what is zero is left out.
  [[nodiscard]] std::string text() const;
  // The worst that there is.
  [[nodiscard]] std::string worst() const;
};

}  // namespace longshore::cli
