// lib/check_results.h - the results of `longshore check` as a file.
#pragma once
#include <string>

#include "lib/check_setup.h"
#include "lib/check_types.h"

namespace longshore::cli {

// {"kind": "check", "version": 1, "host": {...}, "tolerance": 0.1, "results": [...], "skipped":
// [...],
//  "mishaps": [...]}. A result without an interval yet has no "low" and "high", one without trials
// no "ratio". Wrong bytes are a result with the verdict "fail" and "wrong". docs/check.md has the
// fields.
[[nodiscard]] std::string check_to_json(const CheckPlan& plan, const CheckResults& results);

}  // namespace longshore::cli
