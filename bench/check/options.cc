#include "check/options.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "check/output.h"
#include "check/registry.h"

namespace longshore::check {
namespace {

constexpr int64_t kSmallestBytes = 512;
constexpr int64_t kGreatestBytes = int64_t{64} << 20;

constexpr const char* kHelp =
    R"(usage: mpirun -n N longshore-check [options]

Measures rules of performance of the MPI-IO at hand: for each, an operation A that should be no slower
than B. Prints a JSON object per line for each rule, direction and size. `longshore check` starts it
and makes a table of it. Exits with 1 if bytes were wrong, 2 if misused.

  --dir DIR          where the file goes (.)
  --rules 1,4,10     numbers of rules (all)
  --sizes 4096,...   bytes per rank and operation, multiples of 512 up to 64 MiB
  --budget SECONDS   for all of it (60)
  --tolerance X      A may take this share of B's time more (0.1)
  --error X          how likely a wrong verdict may be, for each (0.01)
  --seed N           of the order of A and B (1)
  --quick            leave out some variants
  --verify-only      only whether A and B move the right bytes
  --self-test N      instead: N times the same operation twice, N times one slowed by 30%
  --corrupt          flip a byte before a file is judged: it must be found
  --list             the rules, as JSON; needs no mpirun
)";

[[noreturn]] void misused(const std::string& why) {
  std::fprintf(stderr, "longshore-check: %s (--help says more)\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, kUsageError);
  std::abort();
}

double positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e12) {
    misused(option + " " + text + ": a positive number is wanted");
  }
  return value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    words.push_back(word);
  }
  return words;
}

std::vector<int64_t> sizes_of(const std::string& text) {
  std::vector<int64_t> sizes;
  for (const auto& word : words_of(text)) {
    const auto bytes = static_cast<int64_t>(positive("--sizes", word));
    if (bytes % kSmallestBytes != 0 || bytes > kGreatestBytes) {
      misused("--sizes " + word + ": a multiple of 512 up to 64 MiB is wanted");
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

bool set_flag(Options& options, const std::string& word) {
  if (word == "--quick") {
    options.quick = true;
  } else if (word == "--verify-only") {
    options.verify_only = true;
  } else if (word == "--corrupt") {
    options.corrupt = true;
  } else {
    return false;
  }
  return true;
}

bool set_value(Options& options, const std::string& word, const std::string& value) {
  if (word == "--dir") {
    options.dir = value;
  } else if (word == "--rules") {
    options.rules = words_of(value);
  } else if (word == "--sizes") {
    options.sizes = sizes_of(value);
  } else if (word == "--budget") {
    options.budget_seconds = positive(word, value);
  } else if (word == "--tolerance") {
    options.verdict.tolerance = positive(word, value);
  } else if (word == "--error") {
    options.verdict.error = positive(word, value);
  } else if (word == "--seed") {
    options.seed = static_cast<uint64_t>(positive(word, value));
  } else if (word == "--self-test") {
    options.self_test = static_cast<int>(positive(word, value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool answer_questions(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--list") {
      std::printf("%s\n", rules_json().c_str());
      return true;
    }
    if (word == "--help" || word == "-h") {
      std::fputs(kHelp, stdout);
      return true;
    }
  }
  return false;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (set_flag(options, argv[i])) {
      continue;
    }
    if (i + 1 >= argc || !set_value(options, argv[i], argv[i + 1])) {
      misused(std::string(argv[i]) + ": unknown, or without its value");
    }
    ++i;
  }
  if (options.sizes.empty()) {
    options.sizes = options.quick ? std::vector<int64_t>{4096, 1 << 20}
                                  : std::vector<int64_t>{512, 16384, 1 << 20, 8 << 20};
  }
  return options;
}

}  // namespace longshore::check
