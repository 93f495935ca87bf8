#include "workloads/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "workloads/check.h"

namespace longshore::bench {
namespace {

constexpr const char* kHelp =
    R"(usage: mpirun -n N longshore-workload NAME [options]

Writes the pattern NAME to one shared file, reads it back, checks every byte of memory and file, and
prints one JSON object. Exits with 1 if a byte is wrong, 2 if misused, 3 if a call failed.

  --file PATH       the file (longshore-workload.dat); it is removed before and after
  --plain PATH      the same file for open(), if MPI-IO's name is not for it, as cephfs:/...
  --bytes N         how much all ranks write together, about (each pattern has a default)
  --scale X         the default times X
  --mode limit      plain pwrite/pread of as many bytes, contiguous per rank, instead of MPI-IO
  --independent     the independent form of calls that are collective
  --hint KEY=VALUE  for the MPI_Info of MPI_File_open (repeatable)
  --cold            between write and read the file goes to the medium and leaves the page cache
  --inner N         repetitions; the times are medians
  --keep            leave the file behind
  --corrupt         flip a byte of the file before it is checked: the check must find it
  --list            the patterns, as JSON; needs no mpirun
)";

[[noreturn]] void misused(const std::string& why) {
  give_up(kUsageError, why + " (--help says more)");
}

template <typename Number>
Number positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e15) {
    misused(option + " " + text + ": a positive number is wanted");
  }
  return static_cast<Number>(value);
}

struct Parser {
  Options options;
  double scale = 1;
  std::string name;

  void flag(const std::string& word) {
    if (word == "--independent") {
      options.independent = true;
    } else if (word == "--cold") {
      options.cold = true;
    } else if (word == "--corrupt") {
      options.corrupt = true;
    } else if (word == "--keep") {
      options.keep = true;
    } else if (!word.starts_with("-") && name.empty()) {
      name = word;
    } else {
      misused(word + ": unknown");
    }
  }

  // False if `word` is no option with a value.
  bool option(const std::string& word, const std::string& value) {
    if (word == "--file") {
      options.file = value;
    } else if (word == "--plain") {
      options.plain_file = value;
    } else if (word == "--bytes") {
      options.bytes = positive<int64_t>(word, value);
    } else if (word == "--scale") {
      scale = positive<double>(word, value);
    } else if (word == "--inner") {
      options.inner = positive<int>(word, value);
    } else if (word == "--mode") {
      if (value != "limit" && value != "mpiio") {
        misused("--mode " + value + ": mpiio or limit");
      }
      options.limit = value == "limit";
    } else if (word == "--hint") {
      const auto equals = value.find('=');
      if (equals == std::string::npos || equals == 0) {
        misused("--hint " + value + ": give it as key=value");
      }
      options.hints.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else {
      return false;
    }
    return true;
  }
};

bool is_square(int ranks) {
  const auto root = std::lround(std::sqrt(ranks));
  return root * root == ranks;
}

std::string json_list(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "\"" : ", \"") + word + "\"";
  }
  return "[" + text + "]";
}

void print_list() {
  std::string text = "[";
  for (const auto& entry : workloads()) {
    text += std::string(text.size() > 1 ? ",\n " : "") + "{\"name\": \"" + entry.name +
            "\", \"bytes\": " + std::to_string(entry.default_bytes) +
            ", \"square\": " + (entry.square_ranks ? "true" : "false") +
            ", \"dense\": " + (entry.dense ? "true" : "false") +
            ", \"independent\": " + (entry.independent ? "true" : "false") +
            ", \"sets\": " + json_list(entry.sets) + ", \"about\": \"" + entry.about + "\"}";
  }
  std::printf("%s]\n", text.c_str());
}

}  // namespace

bool answer_questions(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--list") {
      print_list();
      return true;
    }
    if (word == "--help" || word == "-h") {
      std::fputs(kHelp, stdout);
      return true;
    }
  }
  return false;
}

Options parse(int argc, char** argv, int ranks) {
  Parser parser;
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && parser.option(argv[i], argv[i + 1])) {
      ++i;
    } else {
      parser.flag(argv[i]);
    }
  }
  auto& options = parser.options;
  options.workload = find_workload(parser.name);
  if (options.workload == nullptr) {
    misused("'" + parser.name + "' is no workload");
  }
  if (options.workload->square_ranks && !is_square(ranks)) {
    misused(parser.name + " needs a square number of ranks");
  }
  if (options.plain_file.empty()) {
    options.plain_file = options.file;
  }
  options.independent = options.independent || options.workload->independent;
  if (options.bytes == 0) {
    options.bytes = options.workload->default_bytes;
  }
  options.bytes = static_cast<int64_t>(static_cast<double>(options.bytes) * parser.scale);
  return options;
}

}  // namespace longshore::bench
