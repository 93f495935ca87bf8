// lib/command_doc.h - what a command takes and says, as plain values, and man pages and shell
// completions made of them.
//
// The values come from the objects that parse the command line (generate.cc), so that --help, man
// pages and completions cannot differ.
#pragma once
#include <string>
#include <vector>

namespace longshore::cli {

struct OptionDoc {
  std::vector<std::string> names;    // "-n", "--ranks"; of a positional argument its name alone
  std::string value;                 // "FILE"; empty for a flag
  bool optional_value = false;       // a flag that also takes =FILE
  std::vector<std::string> choices;  // of the value, if it is one of a few words
  std::string help;
};

struct CommandDoc {
  std::string name;         // "run"; of the whole, "longshore"
  std::string description;  // paragraphs; lines that begin with blanks are kept as they are
  std::string usage;        // "longshore run [options] [--] command [arguments...]"
  std::string footer;
  bool runs_command = false;  // the first word that is not an option begins another command
  std::vector<OptionDoc> options;
  std::vector<OptionDoc> arguments;
  std::vector<CommandDoc> commands;
};

// Everything up to the first full stop or colon, in one line; a single word before a colon is left
// out.
[[nodiscard]] std::string first_sentence(const std::string& text);

// The page of `command`; `whole` is what it belongs to (itself for the page longshore.1).
[[nodiscard]] std::string man_page(const CommandDoc& whole, const CommandDoc& command,
                                   const std::string& version);

[[nodiscard]] std::string bash_completion(const CommandDoc& whole);
[[nodiscard]] std::string zsh_completion(const CommandDoc& whole);
[[nodiscard]] std::string fish_completion(const CommandDoc& whole);

}  // namespace longshore::cli
