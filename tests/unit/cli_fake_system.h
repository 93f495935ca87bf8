// unit/cli_fake_system.h - a machine with both MPIs as Debian installs them, for the command's
// tests.
#pragma once
#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/system.h"

namespace longshore::cli {

class FakeSystem final : public System {
 public:
  FakeSystem() {
    add_program("mpirun", "/usr/bin/mpirun", "/usr/bin/orterun");
    add_program("mpirun.mpich", "/usr/bin/mpirun.mpich", "/usr/bin/mpiexec.hydra");
    add_program("srun", "/usr/bin/srun", "/usr/bin/srun");
    add_program("flux", "/usr/bin/flux", "/usr/bin/flux");
    add_program("timeout", "/usr/bin/timeout", "/usr/bin/timeout");
    add_program("python3", "/usr/bin/python3", "/usr/bin/python3.11");
    add_program("./openmpi_program", "./openmpi_program", "./openmpi_program");
    add_program("./mpich_program", "./mpich_program", "./mpich_program");
    libraries["./openmpi_program"] = {"libm.so.6", "libmpi.so.40", "libc.so.6"};
    libraries["./mpich_program"] = {"libhdf5_mpich.so.103", "libmpich.so.12"};
    files = {"/b/openmpi/lib/liblongshore.so", "/b/mpich/lib/liblongshore.so"};
  }

  void add_program(const std::string& word, const std::string& path, const std::string& resolved) {
    programs[word] = path;
    links[path] = resolved;
  }

  std::optional<std::filesystem::path> find_program(const std::string& word) const override {
    const auto found = programs.find(word);
    return found == programs.end() ? std::nullopt
                                   : std::optional<std::filesystem::path>(found->second);
  }
  int why_not_executable(const std::string& word) const override {
    const auto found = not_executable.find(word);
    return found == not_executable.end() ? ENOENT : found->second;
  }
  std::filesystem::path resolve(const std::filesystem::path& path) const override {
    const auto found = links.find(path);
    return found == links.end() ? path : std::filesystem::path(found->second);
  }
  bool is_file(const std::filesystem::path& path) const override {
    return std::find(files.begin(), files.end(), path) != files.end();
  }
  std::vector<std::string> libraries_of(const std::filesystem::path& path) const override {
    const auto found = libraries.find(path);
    return found == libraries.end() ? std::vector<std::string>{} : found->second;
  }
  std::string output_of(const std::vector<std::string>& command) const override {
    const auto found = outputs.find(command.front());
    return found == outputs.end() ? "" : found->second;
  }
  std::optional<std::string> environment(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> environment_names(const std::string& prefix) const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables) {
      if (name.starts_with(prefix)) {
        names.push_back(name);
      }
    }
    return names;
  }
  std::filesystem::path own_path() const override { return own; }

  std::map<std::string, std::string> programs;  // word -> path
  std::map<std::string, int> not_executable;    // word -> errno
  std::map<std::string, std::string> links;     // path -> resolved path
  std::map<std::string, std::vector<std::string>> libraries;
  std::map<std::string, std::string> outputs;
  std::map<std::string, std::string> variables;
  std::vector<std::filesystem::path> files;
  std::filesystem::path own = "/b/openmpi/bin/longshore";
};

}  // namespace longshore::cli
