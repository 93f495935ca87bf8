#include "lib/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/elf.h"
#include "lib/mpi_kind.h"
#include "lib/shell_words.h"
#include "unit/cli_fake_system.h"

namespace longshore::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(FindLibrary, BuildTreesAreSiblings) {
  FakeSystem system;
  EXPECT_EQ(find_library(system, MpiKind::kOpenMpi), "/b/openmpi/lib/liblongshore.so");
  EXPECT_EQ(find_library(system, MpiKind::kMpich), "/b/mpich/lib/liblongshore.so");
}

TEST(FindLibrary, SanitizedTreeHasASanitizedSibling) {
  FakeSystem system;
  system.own = "/b/asan-openmpi/bin/longshore";
  system.files = {"/b/asan-mpich/lib/liblongshore.so"};
  EXPECT_EQ(find_library(system, MpiKind::kMpich), "/b/asan-mpich/lib/liblongshore.so");
}

TEST(FindLibrary, InstalledBesideTheCommand) {
  FakeSystem system;
  system.own = "/usr/local/bin/longshore";
  system.files = {"/usr/local/lib/longshore/mpich/liblongshore.so"};
  EXPECT_EQ(find_library(system, MpiKind::kMpich),
            "/usr/local/lib/longshore/mpich/liblongshore.so");
}

TEST(FindLibrary, OverrideIsTheOnlyPlace) {
  FakeSystem system;
  system.variables["LONGSHORE_LIB_DIR"] = "/opt/ls";
  EXPECT_EQ(find_library(system, MpiKind::kMpich).error().code, ErrorClass::kNoSuchFile);
  system.files.push_back("/opt/ls/mpich/liblongshore.so");
  EXPECT_EQ(find_library(system, MpiKind::kMpich), "/opt/ls/mpich/liblongshore.so");
}

TEST(FindLibrary, SaysWhereItLooked) {
  FakeSystem system;
  system.files.clear();
  EXPECT_THAT(find_library(system, MpiKind::kMpich).error().detail,
              HasSubstr("/b/mpich/lib/liblongshore.so"));
}

TEST(FindLibrary, RefusesALibraryOfTheOtherMpi) {
  FakeSystem system;
  system.libraries["/b/mpich/lib/liblongshore.so"] = {"libmpi.so.40"};
  EXPECT_EQ(find_library(system, MpiKind::kMpich).error().code, ErrorClass::kBadFile);
}

TEST(MpiKind, SonamesOfBothMpis) {
  EXPECT_EQ(mpi_of_soname("libmpi.so.40"), MpiKind::kOpenMpi);
  EXPECT_EQ(mpi_of_soname("libmpi.so.12"), MpiKind::kMpich);
  EXPECT_EQ(mpi_of_soname("libmpich.so.12"), MpiKind::kMpich);
  EXPECT_EQ(mpi_of_soname("libmpi.so"), std::nullopt);
  EXPECT_EQ(mpi_of_soname("libmpi_cxx.so.40"), std::nullopt);
  EXPECT_EQ(mpi_of_soname("libc.so.6"), std::nullopt);
}

TEST(MpiKind, VersionTextsOfBothMpis) {
  EXPECT_EQ(mpi_of_version_text("mpirun (Open MPI) 4.1.4"), MpiKind::kOpenMpi);
  EXPECT_EQ(mpi_of_version_text("mpirun.openmpi (OpenRTE) 4.1.4"), MpiKind::kOpenMpi);
  EXPECT_EQ(mpi_of_version_text("HYDRA build details:"), MpiKind::kMpich);
  EXPECT_EQ(mpi_of_version_text("Intel(R) MPI Library"), std::nullopt);
}

TEST(Elf, ReadsThisProgram) {
  const auto facts = read_elf("/proc/self/exe");
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->needed, Contains("libc.so.6"));
  EXPECT_THAT(facts->interpreter, HasSubstr("ld-linux"));
}

TEST(Elf, RefusesWhatIsNotElf) {
  EXPECT_FALSE(read_elf("/etc/passwd"));
  EXPECT_FALSE(read_elf("/no/such/file"));
}

TEST(RealSystem, FindsProgramsAndTheirLibraries) {
  const RealSystem system;
  const auto shell = system.find_program("sh");
  ASSERT_TRUE(shell);
  EXPECT_THAT(system.libraries_of(*shell), Contains("libc.so.6"));
  EXPECT_FALSE(system.find_program("/etc/passwd"));
  EXPECT_EQ(system.output_of({"echo", "it's"}), "it's\n");
}

TEST(ShellWord, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_word("LD_PRELOAD=/a/b.so"), "LD_PRELOAD=/a/b.so");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace longshore::cli
