#include <algorithm>
#include <sstream>

#include "lib/command_doc.h"

namespace longshore::cli {
namespace {

// For troff: no character of the text is a command.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '\\') {
      out += "\\e";
    } else if (each == '-') {
      out += "\\-";
    } else {
      out += each;
    }
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

// Paragraphs are filled, indented lines kept.
std::string body(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  bool literal = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != literal && !line.empty()) {
      out += literal ? ".fi\n.RE\n.PP\n" : ".PP\n.RS 4\n.nf\n";
      literal = indented;
    }
    if (line.empty()) {
      out += literal ? "" : ".PP\n";
    } else {
      out += escaped(literal ? line.substr(2) : line) + "\n";
    }
  }
  return out + (literal ? ".fi\n.RE\n" : "");
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string tagged(const OptionDoc& option) {
  std::string names;
  for (const auto& name : option.names) {
    names += (names.empty() ? "" : ", ") + bold(name);
  }
  if (option.optional_value) {
    names += "[=" + italic(option.value) + "]";
  } else if (!option.value.empty()) {
    names += " " + italic(option.value);
  }
  return ".TP\n" + names + "\n" + escaped(option.help.empty() ? "no more to say" : option.help) +
         "\n";
}

std::string section(const std::string& title, const std::vector<OptionDoc>& options) {
  std::string out = options.empty() ? "" : ".SH " + title + "\n";
  for (const auto& option : options) {
    out += tagged(option);
  }
  return out;
}

std::string commands_section(const CommandDoc& command) {
  std::string out = command.commands.empty() ? "" : ".SH COMMANDS\n";
  for (const auto& each : command.commands) {
    out += ".TP\n.BR longshore\\-" + escaped(each.name) + " (1)\n" +
           escaped(first_sentence(each.description)) + "\n";
  }
  return out;
}

// "Exit codes:" and the like get a section of their own.
std::string footer_section(const std::string& footer) {
  const auto colon = footer.find(":\n");
  if (footer.empty()) {
    return "";
  }
  const bool exit_codes = footer.starts_with("Exit code") && colon != std::string::npos;
  return exit_codes ? ".SH EXIT STATUS\n" + body(footer.substr(colon + 2))
                    : ".SH NOTES\n" + body(footer);
}

std::string see_also(const CommandDoc& whole, const CommandDoc& command) {
  std::string out;
  if (&whole != &command) {
    out = ".BR longshore (1)";
  }
  for (const auto& each : whole.commands) {
    if (&each != &command) {
      out += (out.empty() ? "" : ",\n") + std::string(".BR longshore\\-") + escaped(each.name) +
             " (1)";
    }
  }
  return out.empty() ? "" : ".SH SEE ALSO\n" + out + "\n";
}

}  // namespace

std::string first_sentence(const std::string& text) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  for (size_t i = 0; i < line.size(); ++i) {
    const bool stops = line[i] == '.' || line[i] == ':';
    if (!stops || (i + 1 < line.size() && line[i + 1] != ' ')) {
      continue;
    }
    const bool one_word = line.find(' ') > i;
    return line[i] == ':' && one_word ? first_sentence(line.substr(std::min(i + 2, line.size())))
                                      : line.substr(0, i);
  }
  return line;
}

std::string man_page(const CommandDoc& whole, const CommandDoc& command,
                     const std::string& version) {
  const bool top = &whole == &command;
  const std::string title = top ? "longshore" : "longshore-" + command.name;
  const std::string summary = first_sentence(command.description);
  return ".\\\" Made from the command line's own help; do not edit.\n.TH " + escaped(title) +
         " 1 \"\" \"longshore " + version + "\" \"User Commands\"\n.SH NAME\n" + escaped(title) +
         " \\- " + escaped(summary) + "\n.SH SYNOPSIS\n" + bold(command.usage) +
         "\n.SH DESCRIPTION\n" + body(command.description) +
         section("ARGUMENTS", command.arguments) + section("OPTIONS", command.options) +
         commands_section(command) + footer_section(command.footer) + see_also(whole, command);
}

}  // namespace longshore::cli
