#include <sstream>

#include "lib/command_doc.h"

namespace longshore::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string out;
  for (const auto& word : words) {
    out += (out.empty() ? "" : between) + word;
  }
  return out;
}

std::vector<std::string> option_names(const CommandDoc& command) {
  std::vector<std::string> names;
  for (const auto& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> command_names(const CommandDoc& whole) {
  std::vector<std::string> names;
  for (const auto& each : whole.commands) {
    names.push_back(each.name);
  }
  return names;
}

bool needs_value(const OptionDoc& option) {
  return !option.value.empty() && !option.optional_value;
}

// In single quotes, for any of the shells; a quote in the text becomes an accent, a short help text
// does not need it.
std::string quoted(std::string text, const std::string& not_allowed = "") {
  for (auto& each : text) {
    each = each == '\'' ? '`' : each == '\n' ? ' ' : each;
    if (not_allowed.find(each) != std::string::npos) {
      each = ' ';
    }
  }
  return "'" + text + "'";
}

// The case for the words of one command in the bash function.
std::string bash_case(const CommandDoc& command) {
  std::string values;
  std::vector<std::string> takers;
  for (const auto& option : command.options) {
    if (!needs_value(option)) {
      continue;
    }
    takers.insert(takers.end(), option.names.begin(), option.names.end());
    if (!option.choices.empty()) {
      values += "        " + joined(option.names, "|") + ") choices='" +
                joined(option.choices, " ") + "' ;;\n";
    }
  }
  return "    " + command.name + ")\n      options='" + joined(option_names(command), " ") +
         "'\n      takers=' " + joined(takers, " ") +
         " '\n      runs=" + (command.runs_command ? "1" : "") + "\n      case $previous in\n" +
         values + "        *) ;;\n      esac ;;\n";
}

std::string zsh_option(const OptionDoc& option) {
  std::string out;
  const std::string value = option.value.empty() ? ""
                            : option.choices.empty()
                                ? ":" + option.value + ":_files"
                                : ":" + option.value + ":(" + joined(option.choices, " ") + ")";
  for (const auto& name : option.names) {
    const std::string after = option.optional_value ? "=-" : "";
    out += "        " +
           quoted("*" + name + after + "[" + option.help + "]" +
                      (option.optional_value ? ":" + value : value),
                  "") +
           " \\\n";
  }
  return out;
}

// Brackets and colons mean something in the help of zsh's _arguments.
OptionDoc without_zsh_signs(OptionDoc option) {
  for (auto& each : option.help) {
    each = each == '[' || each == ']' ? '|' : each == ':' ? ';' : each;
  }
  return option;
}

std::string zsh_case(const CommandDoc& command) {
  std::string out = "    " + command.name + ")\n      _arguments -S \\\n";
  for (const auto& option : command.options) {
    out += zsh_option(without_zsh_signs(option));
  }
  return out + (command.runs_command ? "        '*::command:_normal' ;;\n"
                                     : "        '*:file:_files' ;;\n");
}

std::string fish_option(const std::string& condition, const OptionDoc& option) {
  std::string out = "complete -c longshore -n " + condition;
  for (const auto& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (needs_value(option)) {
    out += option.choices.empty() ? " -r -F" : " -x -a '" + joined(option.choices, " ") + "'";
  }
  return out + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string bash_completion(const CommandDoc& whole) {
  std::string cases;
  for (const auto& each : whole.commands) {
    cases += bash_case(each);
  }
  return R"(# bash completion for longshore; made from the command line's own help.
_longshore() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} options='' takers='' choices='' runs='' i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ')" +
         joined(command_names(whole), " ") + " " + joined(option_names(whole), " ") +
         R"(' -- "$current")
    return
  fi
  case $command in
)" + cases +
         R"(    *) return ;;
  esac
  if [ -n "$runs" ]; then
    for ((i = 2; i < COMP_CWORD; i++)); do
      case ${COMP_WORDS[i]} in
        --) i=$((i + 1)); break ;;
        -*) [[ $takers == *" ${COMP_WORDS[i]} "* ]] && i=$((i + 1)) ;;
        *) break ;;
      esac
    done
    if [ "$i" -lt "$COMP_CWORD" ] || [[ $i -eq $COMP_CWORD && $current != -* ]]; then
      if declare -F _command_offset >/dev/null; then
        _command_offset "$i"
      elif [ "$i" -eq "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
      else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return
    fi
  fi
  if [ -n "$choices" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  elif [[ $current == -* && $takers != *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _longshore longshore
)";
}

std::string zsh_completion(const CommandDoc& whole) {
  std::string list;
  std::string cases;
  for (const auto& each : whole.commands) {
    list += "    " + quoted(each.name + ":" + first_sentence(each.description)) + "\n";
    cases += zsh_case(each);
  }
  return "#compdef longshore\n# Made from the command line's own help.\n"
         "_longshore() {\n  local -a commands\n  commands=(\n" +
         list +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe 'command' commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n" +
         cases + "  esac\n}\n_longshore \"$@\"\n";
}

std::string fish_completion(const CommandDoc& whole) {
  const std::string nothing_yet = "__fish_use_subcommand";
  std::string out = "# fish completion for longshore; made from the command line's own help.\n";
  for (const auto& option : whole.options) {
    out += fish_option(nothing_yet, option);
  }
  for (const auto& each : whole.commands) {
    out += "complete -c longshore -n " + nothing_yet + " -f -a " + each.name + " -d " +
           quoted(first_sentence(each.description)) + "\n";
    for (const auto& option : each.options) {
      out += fish_option("'__fish_seen_subcommand_from " + each.name + "'", option);
    }
  }
  return out;
}

}  // namespace longshore::cli
