// generate.h - `longshore generate`, hidden: writes man pages and shell completions at build time.
#pragma once
#include <CLI/CLI.hpp>

#include "lib/command_doc.h"

namespace longshore::cli {

// What `app` and its subcommands take, whichever there are; hidden ones are left out.
[[nodiscard]] CommandDoc doc_of(const CLI::App& app);

// Adds the command to `app`. Executing it writes below a folder as it is to be below share/, and
// ends the process with 0, or 1 if that cannot be done.
void add_generate_command(CLI::App& app);

}  // namespace longshore::cli
