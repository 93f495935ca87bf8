#include "lib/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <string>

namespace longshore::cli {
namespace {

constexpr double kLong = 30;
constexpr double kShort = 0.3;

ProcessResult shell(const std::string& script, double timeout_seconds) {
  return run_process({{"sh", "-c", script}, {{"GREETING", "hello"}}, timeout_seconds});
}

TEST(Process, OutputErrorsEnvironmentAndExitCode) {
  const auto result = shell("echo $GREETING; echo oops >&2; exit 7", kLong);
  EXPECT_EQ(result.output, "hello\n");
  EXPECT_EQ(result.errors, "oops\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, ErrorsAreHeardWhileItRuns) {
  std::string heard;
  ProcessRequest request;
  request.command = {"sh", "-c", "echo one >&2; sleep 30"};
  request.timeout_seconds = kShort;
  request.on_errors = [&heard](std::string_view text) { heard += text; };
  EXPECT_TRUE(run_process(request).timed_out);
  EXPECT_EQ(heard, "one\n");
}

TEST(Process, ASignalIsAnExitCodeAsInAShell) {
  EXPECT_EQ(shell("kill -SEGV $$", kLong).exit_code, 128 + SIGSEGV);
}

TEST(Process, AProgramThatIsNotThere) {
  EXPECT_EQ(run_process({{"/no/such/program"}, {}, kLong}).exit_code, 127);
}

TEST(Process, MoreOutputThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero", kLong).output.size(), 1000000U);
}

TEST(Process, TimeIsOverForDescendantsInOtherSessionsToo) {
  const auto result = shell("setsid sh -c 'trap \"\" TERM; echo $$; sleep 60' & wait", kShort);
  EXPECT_TRUE(result.timed_out);
  ASSERT_FALSE(result.output.empty());
  const auto pid = static_cast<pid_t>(std::stol(result.output));
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace longshore::cli
