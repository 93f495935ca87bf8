// lib/check_table.h - what `longshore check` tells people.
#pragma once
#include <string>

#include "lib/check_types.h"

namespace longshore::cli {

// A line per rule, direction and launch, with its worst case; below it each rule that fails, where,
// and what would mend it; what could not be measured; and a count.
[[nodiscard]] std::string check_report(const CheckResults& results, double tolerance);

// A self-test's outcome: how often the same operation was called slower than itself, and how often
// one slowed by 30% was found.
struct SelfTest {
  int same = 0;
  int same_failed = 0;
  int slowed = 0;
  int slowed_found = 0;
  int slowed_passed = 0;

  // At most 2% wrong, at least 95% found.
  [[nodiscard]] bool good() const;
};
[[nodiscard]] SelfTest self_test_of(const CheckResults& results);
[[nodiscard]] std::string self_test_report(const SelfTest& test);

struct CheckCount {
  int pass = 0;
  int fail = 0;  // wrong bytes too
  int undecided = 0;
  int skipped = 0;
};
[[nodiscard]] CheckCount count_of(const CheckResults& results);

// "512 B", "16 KiB", "1 MiB".
[[nodiscard]] std::string size_text(int64_t bytes);

}  // namespace longshore::cli
