#include "lib/system.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "lib/elf.h"
#include "lib/shell_words.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

bool has_slash(const std::string& word) { return word.find('/') != std::string::npos; }

std::vector<fs::path> candidates_of(const System& system, const std::string& word) {
  if (has_slash(word)) {
    return {word};
  }
  std::vector<fs::path> candidates;
  std::istringstream folders(system.environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    candidates.push_back(fs::path(folder.empty() ? "." : folder) / word);
  }
  return candidates;
}

// The sonames in what a dynamic linker prints for --list: `libm.so.6 => /lib/... (0x...)`.
std::vector<std::string> sonames_in(const std::string& listing) {
  std::vector<std::string> names;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    if (words >> first) {
      names.push_back(fs::path(first).filename());
    }
  }
  return names;
}

}  // namespace

std::optional<fs::path> RealSystem::find_program(const std::string& word) const {
  for (const auto& candidate : candidates_of(*this, word)) {
    if (is_executable_file(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

int RealSystem::why_not_executable(const std::string& word) const {
  std::error_code ignored;
  if (has_slash(word) && fs::is_directory(word, ignored)) {
    return EISDIR;
  }
  const auto all = candidates_of(*this, word);
  const bool there = std::any_of(all.begin(), all.end(), [&](const fs::path& candidate) {
    return fs::exists(candidate, ignored) && !fs::is_directory(candidate, ignored);
  });
  return there ? EACCES : ENOENT;
}

fs::path RealSystem::resolve(const fs::path& path) const {
  std::error_code failed;
  auto resolved = fs::canonical(path, failed);
  return failed ? path : resolved;
}

bool RealSystem::is_file(const fs::path& path) const {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> RealSystem::libraries_of(const fs::path& path) const {
  const auto facts = read_elf(path);
  if (!facts) {
    return {};
  }
  auto names = facts->needed;
  if (!facts->interpreter.empty()) {
    const auto all = sonames_in(output_of({facts->interpreter, "--list", fs::absolute(path)}));
    names.insert(names.end(), all.begin(), all.end());
  }
  return names;
}

std::string RealSystem::output_of(const std::vector<std::string>& command) const {
  std::string line = "exec timeout 10";
  for (const auto& word : command) {
    line += " " + shell_word(word);
  }
  line += " 2>&1 </dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> block{};
  while (pipe) {
    const size_t got = fread(block.data(), 1, block.size(), pipe.get());
    if (got == 0) {
      break;
    }
    text.append(block.data(), got);
  }
  return text;
}

std::optional<std::string> RealSystem::environment(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> RealSystem::environment_names(const std::string& prefix) const {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.starts_with(prefix)) {
      names.push_back(text.substr(0, text.find('=')));
    }
  }
  return names;
}

fs::path RealSystem::own_path() const { return resolve("/proc/self/exe"); }

Result<fs::path> require_program(const System& system, const std::string& word) {
  if (auto program = system.find_program(word)) {
    return *program;
  }
  const int why = system.why_not_executable(word);
  if (why == ENOENT) {
    return fail(ErrorClass::kNoSuchFile, word + ": command not found");
  }
  return fail(ErrorClass::kAccess, word + ": " + std::strerror(why));
}

}  // namespace longshore::cli
