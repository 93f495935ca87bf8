// lib/process.h - runs a program to its end, or to the end of its time.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore::cli {

struct ProcessRequest {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // added to our own
  double timeout_seconds = 0;
  // Called with what comes on standard error, as it comes; may be empty.
  std::function<void(std::string_view)> on_errors = {};
};

struct ProcessResult {
  int exit_code = 0;  // 128 + the signal if one ended it; 127 if it could not be started
  bool timed_out = false;
  bool interrupted = false;  // by SIGINT or SIGTERM to ourselves
  std::string output;        // standard output
  std::string errors;        // standard error
};

// The program runs in a process group of its own with nothing on standard input. When its time is
// over, or we are interrupted, the group gets SIGTERM, so that a launcher ends its ranks, and two
// seconds later everything that descends from it SIGKILL. Nothing of it is left when this returns.
// Not for use by several threads.
[[nodiscard]] ProcessResult run_process(const ProcessRequest& request);

}  // namespace longshore::cli
