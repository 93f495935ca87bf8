// The `longshore` command: one file a command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "bench.h"
#include "check.h"
#include "explain.h"
#include "generate.h"
#include "report.h"
#include "run.h"
#include "tune.h"

namespace {

constexpr int kUsageError = 2;

constexpr const char* kExitCodes = R"(Exit codes:
  0      all went well
  2      the command line is wrong
  127    a program, a library or a file is not there
  other  see `longshore COMMAND --help`; of run, the program's own)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Longshore: a drop-in MPI-IO library for Open MPI and MPICH.", "longshore");
  app.set_version_flag("--version", "longshore " LONGSHORE_VERSION);
  app.require_subcommand(1);
  app.footer(kExitCodes);
  longshore::cli::add_run_command(app);
  longshore::cli::add_bench_command(app);
  longshore::cli::add_check_command(app);
  longshore::cli::add_report_command(app);
  longshore::cli::add_explain_command(app);
  longshore::cli::add_tune_command(app);
  longshore::cli::add_generate_command(app);
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
