// lib/machine.h - the machine at hand, for those who read its figures later.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace longshore::cli {

struct Machine {
  std::string hostname;
  unsigned cores = 0;        // that this process may use
  std::string kernel;        // "Linux 6.1.0"
  std::string architecture;  // "x86_64"
  // A folder's name in tables, and the type of its file system.
  std::vector<std::pair<std::string, std::string>> file_systems;
};

// Without any file systems.
[[nodiscard]] Machine this_machine();

// "ext4", "tmpfs", "lustre": the type of what is mounted where `path` is, or would be made;
// "unknown" if the system does not tell.
[[nodiscard]] std::string file_system_of(const std::filesystem::path& path);

// The same from the text of /proc/self/mountinfo. `path` is absolute, without symbolic links.
[[nodiscard]] std::string file_system_in(const std::string& mountinfo,
                                         const std::filesystem::path& path);

}  // namespace longshore::cli
