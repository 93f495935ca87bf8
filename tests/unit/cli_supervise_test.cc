#include "lib/supervise.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace longshore::cli {
namespace {

TEST(Supervise, EndsAsTheProgramEnded) {
  EXPECT_EQ(supervise({"sh", "-c", "exit 7"}, {}).exit_code, 7);
  const auto killed = supervise({"sh", "-c", "kill -KILL $$"}, {});
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
}

TEST(Supervise, SaysWhyAProgramCannotBeStarted) {
  EXPECT_EQ(supervise({"/no/such/program"}, {}).cannot_execute, ENOENT);
  EXPECT_EQ(supervise({"/etc/passwd"}, {}).cannot_execute, EACCES);
}

TEST(Supervise, TheProgramHasTheEnvironment) {
  EXPECT_EQ(supervise({"sh", "-c", "exit $LONGSHORE_TEST_CODE"}, {{"LONGSHORE_TEST_CODE", "5"}})
                .exit_code,
            5);
}

// A batch system sends its signal to us alone; the program must hear it, and we outlive it.
TEST(Supervise, PassesOnASignalThatOnlyWeGet) {
  const pid_t command = fork();
  if (command == 0) {
    const auto ending =
        supervise({"sh", "-c", "trap 'exit 3' TERM; kill -TERM $PPID; sleep 5"}, {});
    _exit(ending.exit_code);
  }
  int status = 0;
  ASSERT_EQ(waitpid(command, &status, 0), command);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace longshore::cli
