// check.h - `longshore check`: parses, and hands over to lib/check_*.h.
#pragma once
#include <CLI/CLI.hpp>

namespace longshore::cli {

// Adds the command to `app`. Executing it ends the process: with 0 if no rule fails, 1 if one does,
// 2 if misused, 3 if a launch did not end well, 127 if a program is missing.
void add_check_command(CLI::App& app);

}  // namespace longshore::cli
