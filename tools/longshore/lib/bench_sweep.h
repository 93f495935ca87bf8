// lib/bench_sweep.h - every combination of the values of some hints.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace longshore::cli {

// {"a=1,2", "b=x"} gives {{"a=1", "b=x"}, {"a=2", "b=x"}}; no sweep gives one empty combination.
// Fails with kInvalidArgument for what is not key=value[,value].
[[nodiscard]] Result<std::vector<std::vector<std::string>>> expand_sweeps(
    const std::vector<std::string>& sweeps);

}  // namespace longshore::cli
