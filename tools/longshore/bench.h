// bench.h - `longshore bench`: parses, and hands over to lib/bench_*.h.
#pragma once
#include <CLI/CLI.hpp>

namespace longshore::cli {

// Adds the command to `app`. Executing it ends the process: with 0 if all launches ran and every
// byte was right, 1 if not, 2 if misused, 127 if a program is missing.
void add_bench_command(CLI::App& app);

}  // namespace longshore::cli
