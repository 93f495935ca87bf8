// tune.h - `longshore tune`: parses, and hands over to lib/tune.h.
#pragma once
#include <CLI/CLI.hpp>

namespace longshore::cli {

// Adds the command to `app`. Executing it ends the process: with 0, 1 if something could not be
// measured or written, 2 if misused.
void add_tune_command(CLI::App& app);

}  // namespace longshore::cli
