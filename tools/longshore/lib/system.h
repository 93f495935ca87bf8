// lib/system.h - the little that the command asks of the operating system, replaceable in tests.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace longshore::cli {

class System {
 public:
  virtual ~System() = default;

  // The file that the shell would run for `word`: itself if it has a slash, else by PATH. Nothing
  // if there is no such executable file.
  [[nodiscard]] virtual std::optional<std::filesystem::path> find_program(
      const std::string& word) const = 0;
  // Why find_program() finds nothing: ENOENT, or EISDIR or EACCES for what is there and cannot be
  // executed.
  [[nodiscard]] virtual int why_not_executable(const std::string& word) const = 0;
  // All symbolic links resolved; `path` itself where that fails.
  [[nodiscard]] virtual std::filesystem::path resolve(const std::filesystem::path& path) const = 0;
  [[nodiscard]] virtual bool is_file(const std::filesystem::path& path) const = 0;
  // Sonames of the shared libraries a program or library is linked with, those of its libraries
  // included. Empty for what is not an ELF file of this machine.
  [[nodiscard]] virtual std::vector<std::string> libraries_of(
      const std::filesystem::path& path) const = 0;
  // What a command prints, standard error included, within a few seconds; empty if it cannot run.
  [[nodiscard]] virtual std::string output_of(const std::vector<std::string>& command) const = 0;
  [[nodiscard]] virtual std::optional<std::string> environment(const std::string& name) const = 0;
  // Names of all environment variables that begin with `prefix`.
  [[nodiscard]] virtual std::vector<std::string> environment_names(
      const std::string& prefix) const = 0;
  // This command's own file.
  [[nodiscard]] virtual std::filesystem::path own_path() const = 0;
};

class RealSystem final : public System {
 public:
  [[nodiscard]] std::optional<std::filesystem::path> find_program(
      const std::string& word) const override;
  [[nodiscard]] int why_not_executable(const std::string& word) const override;
  [[nodiscard]] std::filesystem::path resolve(const std::filesystem::path& path) const override;
  [[nodiscard]] bool is_file(const std::filesystem::path& path) const override;
  [[nodiscard]] std::vector<std::string> libraries_of(
      const std::filesystem::path& path) const override;
  [[nodiscard]] std::string output_of(const std::vector<std::string>& command) const override;
  [[nodiscard]] std::optional<std::string> environment(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> environment_names(
      const std::string& prefix) const override;
  [[nodiscard]] std::filesystem::path own_path() const override;
};

// As find_program(). Fails with kNoSuchFile if nothing is there, with kAccess if it cannot be
// executed.
[[nodiscard]] Result<std::filesystem::path> require_program(const System& system,
                                                            const std::string& word);

}  // namespace longshore::cli
