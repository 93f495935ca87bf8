// The `longshore` command: one file a command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "bench.h"
#include "run.h"

namespace {

constexpr int kUsageError = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Longshore: a drop-in MPI-IO library for Open MPI and MPICH.", "longshore");
  app.set_version_flag("--version", "longshore " LONGSHORE_VERSION);
  app.require_subcommand(1);
  longshore::cli::add_run_command(app);
  longshore::cli::add_bench_command(app);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "run") {
    longshore::cli::drop_separator(words);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  return 0;
}
