#include "lib/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cli_fake_system.h"

namespace longshore::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const std::string kOpenMpiLibrary = "/b/openmpi/lib/liblongshore.so";
const std::string kMpichLibrary = "/b/mpich/lib/liblongshore.so";

class Launch : public testing::Test {
 protected:
  Result<LaunchPlan> plan(std::vector<std::string> command) {
    request_.command = std::move(command);
    return plan_launch(system_, request_);
  }
  Error error(std::vector<std::string> command) {
    const auto made = plan(std::move(command));
    return made ? Error{} : made.error();
  }

  FakeSystem system_;
  LaunchRequest request_;
};

TEST_F(Launch, OpenMpiGetsAnExportFlagRightAfterTheLauncher) {
  const auto made = plan({"mpirun", "-n", "2", "./openmpi_program", "-x"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("mpirun", "-x", "LD_PRELOAD=" + kOpenMpiLibrary, "-n", "2",
                                         "./openmpi_program", "-x"));
  EXPECT_TRUE(made->environment.empty());  // mpirun itself must not be preloaded
}

TEST_F(Launch, MpichGetsAGlobalVariableFlag) {
  const auto made = plan({"mpirun.mpich", "-n", "2", "./mpich_program"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("mpirun.mpich", "-genv", "LD_PRELOAD", kMpichLibrary, "-n",
                                         "2", "./mpich_program"));
}

TEST_F(Launch, EachPartOfAnOpenMpiCommandLineIsTold) {
  const auto made = plan({"mpirun", "-n", "1", "a", ":", "-n", "2", "b"});
  ASSERT_TRUE(made);
  const auto setting = "LD_PRELOAD=" + kOpenMpiLibrary;
  EXPECT_THAT(made->command, ElementsAre("mpirun", "-x", setting, "-n", "1", "a", ":", "-x",
                                         setting, "-n", "2", "b"));
}

TEST_F(Launch, LauncherBehindAWrapperIsFound) {
  const auto made = plan({"timeout", "60", "mpirun.mpich", "./mpich_program"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("timeout", "60", "mpirun.mpich", "-genv", "LD_PRELOAD",
                                         kMpichLibrary, "./mpich_program"));
}

TEST_F(Launch, MpiProgramWithALauncherNameAmongItsArgumentsRunsAlone) {
  const auto made = plan({"./mpich_program", "mpirun"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("./mpich_program", "mpirun"));
  EXPECT_THAT(made->environment, ElementsAre(Pair("LD_PRELOAD", kMpichLibrary)));
}

TEST_F(Launch, ProfilersOfTheEnvironmentStandBeforeTheLibrary) {
  system_.variables["LD_PRELOAD"] = "/opt/libdarshan.so";
  const auto made = plan({"mpirun", "a"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command,
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/opt/libdarshan.so:" + kOpenMpiLibrary, "a"));
}

TEST_F(Launch, PreloadsOfTheCommandLineAreKept) {
  const auto open_mpi = plan({"mpirun", "-x", "LD_PRELOAD=/x.so", "a"});
  ASSERT_TRUE(open_mpi);
  EXPECT_THAT(open_mpi->command,
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/x.so:" + kOpenMpiLibrary, "a"));
  const auto mpich = plan({"mpirun.mpich", "-genv", "LD_PRELOAD", "/x.so", "a"});
  ASSERT_TRUE(mpich);
  EXPECT_THAT(mpich->command,
              ElementsAre("mpirun.mpich", "-genv", "LD_PRELOAD", "/x.so:" + kMpichLibrary, "a"));
}

TEST_F(Launch, ForwardingTheVariableIsMadeASetting) {
  system_.variables["LD_PRELOAD"] = "/x.so";
  const auto made = plan({"mpirun", "-x", "LD_PRELOAD", "a"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command,
              ElementsAre("mpirun", "-x", "LD_PRELOAD=/x.so:" + kOpenMpiLibrary, "a"));
}

TEST_F(Launch, TwiceIsOnce) {
  system_.variables["LD_PRELOAD"] = kOpenMpiLibrary;
  const auto made = plan({"mpirun", "a"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("mpirun", "-x", "LD_PRELOAD=" + kOpenMpiLibrary, "a"));
}

TEST_F(Launch, HintsFollowThoseOfTheEnvironmentAndReachTheRanks) {
  system_.variables["LONGSHORE_HINTS"] = "cb_nodes=1";
  request_.hints = {"cb_nodes=2", "longshore_partition=aligned"};
  const auto made = plan({"mpirun", "a"});
  ASSERT_TRUE(made);
  EXPECT_THAT(
      made->environment,
      ElementsAre(Pair("LONGSHORE_HINTS", "cb_nodes=1;cb_nodes=2;longshore_partition=aligned")));
  EXPECT_THAT(made->command, ElementsAre("mpirun", "-x", "LD_PRELOAD=" + kOpenMpiLibrary, "-x",
                                         "LONGSHORE_HINTS", "a"));
}

TEST_F(Launch, VerboseIsAVariableOfTheRanks) {
  request_.verbose = true;
  const auto made = plan({"mpirun.mpich", "a"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->environment, ElementsAre(Pair("LONGSHORE_VERBOSE", "1")));
}

TEST_F(Launch, SlurmExportsAndTakesTheMpiFromTheProgram) {
  const auto made = plan({"srun", "-n", "4", "./mpich_program"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("srun", "--export=ALL,LD_PRELOAD=" + kMpichLibrary, "-n",
                                         "4", "./mpich_program"));
}

TEST_F(Launch, SlurmExportOfTheCommandLineIsKept) {
  const auto made = plan({"srun", "--export=HOME", "./mpich_program"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command,
              ElementsAre("srun", "--export=HOME,LD_PRELOAD=" + kMpichLibrary, "./mpich_program"));
}

TEST_F(Launch, FluxRunIsTold) {
  const auto made = plan({"flux", "run", "-n4", "./openmpi_program"});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->command, ElementsAre("flux", "run", "--env=LD_PRELOAD=" + kOpenMpiLibrary,
                                         "-n4", "./openmpi_program"));
  EXPECT_EQ(error({"flux", "proxy", "./openmpi_program"}).code, ErrorClass::kUnsupportedOperation);
}

TEST_F(Launch, LauncherOfUnknownNameIsAskedForItsVersion) {
  system_.add_program("mpiexec", "/opt/mpi/mpiexec", "/opt/mpi/launch");
  system_.outputs["/opt/mpi/mpiexec"] = "HYDRA build details:\n Version: 4.2\n";
  const auto made = plan({"mpiexec", "a"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->mpi, MpiKind::kMpich);
  system_.outputs["/opt/mpi/mpiexec"] = "Some other MPI 1.0";
  EXPECT_EQ(error({"mpiexec", "a"}).code, ErrorClass::kUnsupportedOperation);
}

TEST_F(Launch, ScriptNeedsToSayItsMpi) {
  EXPECT_EQ(error({"python3", "x.py"}).code, ErrorClass::kInvalidArgument);
  EXPECT_THAT(error({"python3", "x.py"}).detail, HasSubstr("--mpi"));
  request_.mpi = MpiKind::kMpich;
  const auto made = plan({"python3", "x.py"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->library, kMpichLibrary);
}

TEST_F(Launch, ErrorsNameWhatIsMissing) {
  EXPECT_EQ(error({}).code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(error({"nosuch"}).code, ErrorClass::kNoSuchFile);
  EXPECT_THAT(error({"timeout", "5", "mpiexec", "a"}).detail, HasSubstr("mpiexec"));
  EXPECT_EQ(error({"mpirun", "--app", "file"}).code, ErrorClass::kUnsupportedOperation);
  request_.hints = {"nonsense"};
  EXPECT_THAT(error({"mpirun", "a"}).detail, HasSubstr("key=value"));
}

TEST_F(Launch, WhatIsThereButCannotBeExecutedIsToldFromWhatIsNotThere) {
  system_.not_executable = {{"./script", EACCES}, {"/tmp", EISDIR}, {"./mpirun", EACCES}};
  EXPECT_EQ(error({"./script"}).code, ErrorClass::kAccess);
  EXPECT_EQ(error({"./script"}).detail, "./script: Permission denied");
  EXPECT_EQ(error({"/tmp"}).detail, "/tmp: Is a directory");
  EXPECT_EQ(error({"timeout", "5", "./mpirun", "a"}).code, ErrorClass::kAccess);
}

TEST(RealSystem, SaysWhyAProgramCannotBeExecuted) {
  const RealSystem system;
  EXPECT_EQ(system.why_not_executable("/etc/passwd"), EACCES);
  EXPECT_EQ(system.why_not_executable("/etc"), EISDIR);
  EXPECT_EQ(system.why_not_executable("/etc/passwd/x"), ENOENT);
  EXPECT_EQ(system.why_not_executable("no-such-program"), ENOENT);
}

}  // namespace
}  // namespace longshore::cli
