#include "tune.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "lib/tune.h"

namespace longshore::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kInterrupted = 130;

constexpr const char* kHelp =
    R"(Measure constants of the model behind `longshore explain` and print them as a site profile: copies,
a switch between threads, and small and large writes to one file, all by one process on this host.
Costs between ranks and between hosts are not measured; the profile says so. On a busy machine the
figures are those of a busy machine.

  longshore tune > site.profile
  longshore tune --dir /lustre/scratch --remote --output site.profile
  LONGSHORE_PROFILE=site.profile longshore explain /lustre/scratch/x --pattern round_robin_4k)";

constexpr const char* kExitCodes = R"(Exit codes:
  0    measured
  1    a file could not be made or written
  2    the command line is wrong
  130  interrupted)";

struct TuneOptions {
  TuneRequest request;
  std::string output;
};

void end_interrupted(int /*signal*/) {
  constexpr std::string_view kWords = "longshore: interrupted\n";
  const ssize_t ignored = write(STDERR_FILENO, kWords.data(), kWords.size());
  (void)ignored;
  _exit(kInterrupted);
}

int run(const TuneOptions& options) {
  signal(SIGINT, end_interrupted);
  signal(SIGTERM, end_interrupted);
  const auto result = tune(options.request);
  if (!result) {
    std::cerr << "longshore: " << result.error().detail << std::endl;
    return kFailed;
  }
  if (options.output.empty()) {
    std::cout << profile_text(*result) << std::flush;
    return 0;
  }
  std::ofstream file(options.output, std::ios::trunc);
  file << profile_text(*result) << std::flush;
  if (!file) {
    std::cerr << "longshore: " << options.output << ": cannot be written" << std::endl;
    return kFailed;
  }
  return 0;
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune", kHelp);
  command->footer(kExitCodes);
  command->add_option("--dir", options->request.dir,
                      "FOLDER: where a file of 32 MiB is written and removed (default: here)");
  command->add_flag("--remote", options->request.remote,
                    "the folder is on servers: large writes count until they are synced");
  command->add_option("--seconds", options->request.seconds, "SECONDS: for all of it (default 10)")
      ->check(CLI::Range(0.01, 3600.0));
  command->add_option("--output", options->output, "FILE: instead of standard output");
  command->callback([options] { std::exit(run(*options)); });
}

}  // namespace longshore::cli
