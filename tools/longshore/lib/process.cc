#include "lib/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace longshore::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 20;
constexpr double kGraceSeconds = 2;
constexpr int kCannotStart = 127;
constexpr int kSignalBase = 128;

volatile sig_atomic_t interrupted = 0;

void note_signal(int /*signal*/) { interrupted = 1; }

// SIGINT and SIGTERM are noted while it lives.
class SignalGuard {
 public:
  SignalGuard() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

// The reading end of a pipe and what came through it.
struct Stream {
  int fd = -1;
  std::string text;
  std::function<void(std::string_view)> listener = {};

  void drain() {
    std::array<char, 4096> block;
    while (fd >= 0) {
      const ssize_t got = read(fd, block.data(), block.size());
      if (got > 0) {
        text.append(block.data(), static_cast<size_t>(got));
        if (listener) {
          listener({block.data(), static_cast<size_t>(got)});
        }
      } else if (got == 0 || errno != EINTR) {
        if (got == 0) {
          close(fd);
          fd = -1;
        }
        return;  // at the end, or nothing there for now
      }
    }
  }
};

struct Child {
  pid_t pid = -1;
  Stream output;
  Stream errors;
};

[[noreturn]] void become(const ProcessRequest& request, int output, int errors) {
  setpgid(0, 0);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (const auto& [name, value] : request.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  auto words = request.command;
  std::vector<char*> argv;
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(kCannotStart);
}

Child start(const ProcessRequest& request) {
  Child child;
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) {
    return child;
  }
  if (pipe2(errors.data(), O_CLOEXEC) != 0) {
    close(output[0]);
    close(output[1]);
    return child;
  }
  child.pid = fork();
  if (child.pid == 0) {
    become(request, output[1], errors[1]);
  }
  if (child.pid > 0) {
    setpgid(child.pid, child.pid);  // as the child does: whoever comes first
  }
  close(output[1]);
  close(errors[1]);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  child.output.fd = output[0];
  child.errors.fd = errors[0];
  return child;
}

// Parent of each process there is.
std::map<pid_t, pid_t> all_parents() {
  std::map<pid_t, pid_t> parents;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (name.find_first_not_of("0123456789") != std::string::npos || !std::getline(file, line)) {
      continue;
    }
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    char state = 0;
    pid_t parent = 0;
    fields >> state >> parent;
    parents[static_cast<pid_t>(std::stol(name))] = parent;
  }
  return parents;
}

// Our own descendants: orphans of a killed launcher are ours too, since we are their subreaper.
std::set<pid_t> descendants() {
  const auto parents = all_parents();
  std::set<pid_t> family = {getpid()};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, parent] : parents) {
      grown = (family.contains(parent) && family.insert(pid).second) || grown;
    }
  }
  family.erase(getpid());
  return family;
}

void kill_descendants() {
  for (auto left = descendants(); !left.empty(); left = descendants()) {
    for (const pid_t pid : left) {
      kill(pid, SIGKILL);
    }
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    poll(nullptr, 0, kPollMs);
  }
}

// True if the child has ended by `until` (or, if `heed_signals`, before a signal came).
bool wait_until(Child& child, Clock::time_point until, bool heed_signals, int& status) {
  while (Clock::now() < until && !(heed_signals && interrupted != 0)) {
    std::array<pollfd, 2> streams = {pollfd{child.output.fd, POLLIN, 0},
                                     pollfd{child.errors.fd, POLLIN, 0}};
    poll(streams.data(), streams.size(), kPollMs);
    child.output.drain();
    child.errors.drain();
    if (waitpid(child.pid, &status, WNOHANG) == child.pid) {
      return true;
    }
    if (child.output.fd < 0 && child.errors.fd < 0) {
      poll(nullptr, 0, 1);  // nothing to wait for but the end
    }
  }
  return false;
}

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const SignalGuard guard;
  ProcessResult result;
  Child child = start(request);
  if (child.pid < 0) {
    result.exit_code = kCannotStart;
    return result;
  }
  child.errors.listener = request.on_errors;
  int status = 0;
  if (!wait_until(child, after(request.timeout_seconds), true, status)) {
    result.interrupted = interrupted != 0;
    result.timed_out = !result.interrupted;
    kill(-child.pid, SIGTERM);
    wait_until(child, after(kGraceSeconds), false, status);
  }
  kill_descendants();
  child.output.drain();
  child.errors.drain();
  for (const int fd : {child.output.fd, child.errors.fd}) {
    if (fd >= 0) {
      close(fd);
    }
  }
  result.output = std::move(child.output.text);
  result.errors = std::move(child.errors.text);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return result;
}

}  // namespace longshore::cli
