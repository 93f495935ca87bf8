// report.h - `longshore report`: parses, and hands over to lib/report_*.h.
#pragma once
#include <CLI/CLI.hpp>

namespace longshore::cli {

// Adds the command to `app`. Executing it ends the process: with 0 if the page was written, 1 if it
// could not be, 2 if misused or an input is no good.
void add_report_command(CLI::App& app);

}  // namespace longshore::cli
