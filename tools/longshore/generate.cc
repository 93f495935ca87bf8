#include "generate.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

// CLI11 tells the words that are allowed as part of the type: "TEXT:{openmpi,mpich}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) {
    return words;
  }
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) {
    words.push_back(word);
  }
  return words;
}

// "FILE: a timeline" names the value before the colon.
std::string value_name(const CLI::Option& option) {
  const std::string& help = option.get_description();
  const auto colon = help.find(": ");
  const bool named = colon != std::string::npos && colon < 24 && help.find(' ') == colon + 1;
  return named ? help.substr(0, colon) : "VALUE";
}

OptionDoc doc_of(const CLI::Option& option) {
  OptionDoc doc;
  doc.help = option.get_description();
  for (const auto& name : option.get_snames()) {
    doc.names.push_back("-" + name);
  }
  for (const auto& name : option.get_lnames()) {
    doc.names.push_back("--" + name);
  }
  if (option.get_positional()) {
    doc.names = {option.get_name(true)};
    return doc;
  }
  const bool flag = option.get_items_expected_max() == 0;
  doc.optional_value = flag && doc.help.find("=FILE") != std::string::npos;
  doc.value = doc.optional_value ? "FILE" : flag ? "" : value_name(option);
  doc.choices = choices_of(option);
  return doc;
}

// Not by App::help(), which tells of the subcommand that is being carried out.
std::string usage_of(const CLI::App& app, const std::string& full_name) {
  std::istringstream help(
      app.get_formatter()->make_help(&app, full_name, CLI::AppFormatMode::Normal));
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Usage: ")) {
      return line.substr(7);
    }
  }
  return full_name;
}

CommandDoc doc_of_one(const CLI::App& app, const std::string& full_name) {
  CommandDoc doc;
  doc.name = app.get_name();
  doc.description = app.get_description();
  doc.footer = app.get_footer();
  doc.usage = usage_of(app, full_name);
  doc.runs_command = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) {
      (option->get_positional() ? doc.arguments : doc.options).push_back(doc_of(*option));
    }
  }
  return doc;
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::trunc);
  file << text << std::flush;
  if (!file) {
    throw fs::filesystem_error("cannot write", path, std::make_error_code(std::errc::io_error));
  }
}

void write_all(const CommandDoc& whole, const fs::path& folder) {
  fs::remove_all(folder / "man");
  const auto page = [&](const CommandDoc& command, const std::string& name) {
    write(folder / "man" / "man1" / (name + ".1"), man_page(whole, command, LONGSHORE_VERSION));
  };
  page(whole, "longshore");
  for (const auto& each : whole.commands) {
    page(each, "longshore-" + each.name);
  }
  write(folder / "bash-completion" / "completions" / "longshore", bash_completion(whole));
  write(folder / "zsh" / "site-functions" / "_longshore", zsh_completion(whole));
  write(folder / "fish" / "vendor_completions.d" / "longshore.fish", fish_completion(whole));
}

int generate(const CommandDoc& whole, const std::string& folder) {
  try {
    write_all(whole, folder);
    return 0;
  } catch (const fs::filesystem_error& error) {
    std::cerr << "longshore: " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace

CommandDoc doc_of(const CLI::App& app) {
  CommandDoc whole = doc_of_one(app, app.get_name());
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      whole.commands.push_back(doc_of_one(*command, whole.name + " " + command->get_name()));
    }
  }
  return whole;
}

void add_generate_command(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("generate", "Write man pages and shell completions.");
  command->group("");
  command->add_option("folder", *folder, "what is to be share/")->required();
  command->callback([&app, folder] { std::exit(generate(doc_of(app), *folder)); });
}

}  // namespace longshore::cli
