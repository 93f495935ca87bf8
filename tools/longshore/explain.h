// explain.h - `longshore explain`: parses, and hands over to lib/explain.h.
#pragma once
#include <CLI/CLI.hpp>

namespace longshore::cli {

// Adds the command to `app`. Executing it ends the process: with 0, 2 if misused, 127 if a file is
// not there.
void add_explain_command(CLI::App& app);

}  // namespace longshore::cli
