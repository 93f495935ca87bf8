#include "lib/supervise.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace longshore::cli {
namespace {

constexpr int kSignalBase = 128;
constexpr int kNotStarted = 127;
constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child_pid = 0;

// What the terminal sends goes to the whole group, the program included; the rest is passed on.
void pass_on(int signal, siginfo_t* info, void*) {
  if (info->si_code <= 0 && child_pid > 0) {
    kill(child_pid, signal);
  }
}

// While one lives, signals do not end this process.
class PassingOn {
 public:
  PassingOn() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], &action, &before_[i]);
    }
  }
  ~PassingOn() { restore(); }
  PassingOn(const PassingOn&) = delete;
  PassingOn& operator=(const PassingOn&) = delete;
  void restore() const {
    for (size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], &before_[i], nullptr);
    }
  }

 private:
  std::array<struct sigaction, kPassedOn.size()> before_{};
};

// In the child; `report` gets errno if there is no program to become.
[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& environment,
                         int report) {
  for (const auto& [variable, value] : environment) {
    setenv(variable.c_str(), value.c_str(), 1);
  }
  auto words = command;
  std::vector<char*> argv;
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int why = errno;
  if (write(report, &why, sizeof why) < 0) {
    _exit(kNotStarted);
  }
  _exit(kNotStarted);
}

}  // namespace

Ending supervise(const std::vector<std::string>& command,
                 const std::vector<std::pair<std::string, std::string>>& environment) {
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) {
    return {kNotStarted, 0, errno};
  }
  const PassingOn passing_on;
  const pid_t child = fork();
  if (child == 0) {
    passing_on.restore();
    become(command, environment, report[1]);
  }
  const int why_not = child < 0 ? errno : 0;
  child_pid = child;
  close(report[1]);
  int why = 0;
  const bool started = child > 0 && read(report[0], &why, sizeof why) != sizeof why;
  close(report[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child_pid = 0;
  if (!started) {
    return {kNotStarted, 0, child < 0 ? why_not : why};
  }
  if (WIFSIGNALED(status)) {
    return {kSignalBase + WTERMSIG(status), WTERMSIG(status), 0};
  }
  return {WEXITSTATUS(status), 0, 0};
}

}  // namespace longshore::cli
