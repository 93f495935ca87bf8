// run.h - `longshore run`: parses, and hands over to lib/launch.h.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace longshore::cli {

// Adds the command to `app`. Executing it replaces this process by the launcher, or waits for that
// if reports are asked for and ends as it ended; on failure it ends with 2 (misused), 125
// (refused), 126 (cannot be executed) or 127 (not found).
void add_run_command(CLI::App& app);

// Removes the `--` between the options of `run` (the first word) and the command, which CLI11 would
// take for the end of the command. A `--` among the command's own words stays.
void drop_separator(std::vector<std::string>& words);

}  // namespace longshore::cli
