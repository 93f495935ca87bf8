#include "explain.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lib/bench_text.h"
#include "lib/explain.h"
#include "lib/explain_pattern.h"
#include "lib/explain_text.h"

namespace longshore::cli {
namespace {

constexpr int kUsageError = 2;
constexpr int kNotFound = 127;
constexpr size_t kNameWidth = 22;

constexpr const char* kHelp =
    R"(Say how a file lies on storage, what Longshore would do for a pattern of calls, why, and what a
simple model predicts for that and for the alternatives. Decisions are made by the library's own
code; costs are predictions, and nothing is measured, opened or written.

  longshore explain /scratch/out.h5
  longshore explain /scratch/out.h5 --pattern "ranks=64 hosts=4 calls=write_all block=1KiB count=1000"
  longshore explain --pattern "strided_view ranks=16" --hint longshore_write_behind=off

A pattern is a row of key=value words; sizes may end in K, M, G (of 1024) or KiB, MiB, GiB:

  ranks=4      processes               hosts=1      they fill one host after the other
  calls=       write_all, read_all (collective), write, read (independent)
  block=1KiB   bytes of a piece        count=1      pieces of a rank in a call
  stride=      from a rank's piece to its next; default ranks * shift: the ranks take turns
  shift=       from a rank's first piece to the next rank's; default the block
  times=1      calls                   cores=       of a host; default those of this one

It may begin with the name of a workload of `longshore bench`; --list shows which. Without a pattern
each of these is told in a line. The file need not exist; without one, the current folder counts. The
model's constants come from the file that LONGSHORE_PROFILE names; --profile prints them.)";

constexpr const char* kExitCodes = R"(Exit codes:
  0    all was told
  2    the command line, a hint or the profile is wrong
  127  there is no such file and no such folder)";

struct ExplainOptions {
  std::string path = ".";
  std::string pattern;
  std::vector<std::string> hints;
  bool json = false;
  bool list = false;
  bool profile = false;
};

int refuse(const Error& error) {
  std::cerr << "longshore: " << error.detail << std::endl;
  return error.code == ErrorClass::kNoSuchFile ? kNotFound : kUsageError;
}

void print_list() {
  for (const auto& each : named_patterns()) {
    std::cout << padded(each.name, kNameWidth) << each.about << '\n'
              << std::string(kNameWidth, ' ') << each.words << '\n';
  }
}

void print_profile(const Profile& profile) {
  std::cout << "# the cost model's constants: microseconds and 10^6 bytes a second\n";
  for (const auto& [key, value] : values_of(profile)) {
    std::cout << key << " = " << value << '\n';
  }
}

// A line for each of the named patterns.
void print_overview(ExplainRequest request) {
  for (const auto& each : named_patterns()) {
    const auto pattern = parse_pattern(each.name);
    if (pattern) {
      request.pattern = *pattern;
      const auto told = explain(request);
      std::cout << padded(each.name, kNameWidth) << told.call << ": " << told.how << '\n';
    }
  }
  std::cout << "(on 4 ranks of one host; --pattern tells more)" << std::endl;
}

int explain_one(const ExplainOptions& options, ExplainRequest& request) {
  const auto pattern = parse_pattern(options.pattern);
  if (!pattern) {
    return refuse(pattern.error());
  }
  request.pattern = *pattern;
  const auto told = explain(request);
  if (options.json) {
    std::cout << explanation_json(options.path, request.layout, told, request.profile);
    return 0;
  }
  std::cout << padded("layout", 12) << layout_text(options.path, request.layout) << '\n'
            << explanation_text(told);
  return 0;
}

int run(const ExplainOptions& options) {
  const auto hints = hints_of(options.hints);
  if (!hints) {
    return refuse(hints.error());
  }
  const auto profile = site_profile();
  if (!profile) {
    return refuse({ErrorClass::kInvalidArgument, 0, profile.error().detail});
  }
  const auto layout = layout_of(options.path, *hints);
  if (!layout) {
    return refuse(layout.error());
  }
  if (options.list) {
    print_list();
    return 0;
  }
  if (options.profile) {
    print_profile(*profile);
    return 0;
  }
  ExplainRequest request{{}, *layout, *hints, *profile};
  if (!options.pattern.empty()) {
    return explain_one(options, request);
  }
  if (options.json) {
    return refuse({ErrorClass::kInvalidArgument, 0, "--json needs a --pattern"});
  }
  std::cout << layout_text(options.path, *layout) << '\n';
  print_overview(request);
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", kHelp);
  command->footer(kExitCodes);
  command->add_option("file", options->path, "a file, or where one would be");
  command->add_option("--pattern", options->pattern, "the calls of all ranks, see above");
  command
      ->add_option("--hint", options->hints, "key=value: an MPI-IO hint, as for run (repeatable)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", options->json, "one document of JSON instead of text");
  command->add_flag("--list", options->list, "the patterns that have names");
  command->add_flag("--profile", options->profile,
                    "the model's constants, in the form of a site profile");
  command->callback([options] { std::exit(run(*options)); });
}

}  // namespace longshore::cli
