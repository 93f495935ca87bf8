// lib/supervise.h - runs a program as if this process were it, and lives on afterwards.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace longshore::cli {

struct Ending {
  int exit_code = 0;       // of the program; 128 + signal if one ended it
  int signal = 0;          // that ended it, or 0
  int cannot_execute = 0;  // errno, if it could not be started; 0 if it was
};

// The program has our streams, our terminal and our process group, so that what is typed reaches it
// as usual. Signals that only we get are passed on. `environment` is added to ours.
// Not for use by several threads.
[[nodiscard]] Ending supervise(const std::vector<std::string>& command,
                               const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace longshore::cli
