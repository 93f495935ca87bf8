#include "lib/bench_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "lib/bench_plot.h"
#include "unit/cli_fake_system.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() : dir(fs::temp_directory_path() / ("output_test_" + std::to_string(getpid()))) {
    fs::create_directories(dir);
  }
  ~OutputFile() override { fs::remove_all(dir); }
  static Error error(const Status& status) { return status ? Error{} : status.error(); }

  fs::path dir;
};

TEST_F(OutputFile, WhatCannotBeWrittenIsMisuseAndSaysWhy) {
  const auto missing = error(check_replaceable("--json", dir / "no" / "x"));
  EXPECT_EQ(missing.code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(missing.detail, "--json " + (dir / "no/x").string() + ": No such file or directory");
  EXPECT_EQ(error(check_replaceable("--json", "/etc/passwd/j")).detail,
            "--json /etc/passwd/j: Not a directory");
  EXPECT_EQ(error(check_replaceable("--json", dir)).detail,
            "--json " + dir.string() + ": Is a directory");
  EXPECT_EQ(error(check_writable("--plot", dir)).detail,
            "--plot " + dir.string() + ": Is a directory");
}

TEST_F(OutputFile, LookingChangesNothing) {
  EXPECT_TRUE(check_replaceable("--json", dir / "new"));
  EXPECT_TRUE(check_writable("--plot", dir / "new"));
  EXPECT_TRUE(fs::is_empty(dir));
  std::ofstream(dir / "old") << "kept";
  EXPECT_TRUE(check_replaceable("--json", dir / "old"));
  EXPECT_TRUE(check_writable("--plot", dir / "old"));
  std::ifstream file(dir / "old");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "kept");
}

TEST_F(OutputFile, LinksStayLinks) {
  std::ofstream(dir / "old") << "before";
  fs::create_symlink(dir / "old", dir / "link");
  EXPECT_TRUE(check_replaceable("--json", dir / "link"));
  EXPECT_TRUE(RealBenchHost().write_file(dir / "link", "after"));
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  std::ifstream file(dir / "old");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "after");
}

TEST_F(OutputFile, APlotNeedsItsFolder) {
  FakeSystem system;
  system.add_program("gnuplot", "/usr/bin/gnuplot", "/usr/bin/gnuplot");
  EXPECT_TRUE(check_plot(system, dir / "x.svg"));
  EXPECT_TRUE(fs::is_empty(dir));
  EXPECT_EQ(error(check_plot(system, dir / "no" / "x.svg")).code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(error(check_plot(system, dir / "x.pdf")).code, ErrorClass::kInvalidArgument);
}

TEST_F(OutputFile, AFailedWriteSaysWhy) {
  EXPECT_EQ(error(RealBenchHost().write_file("/etc/passwd/j", "x")).sys_errno, ENOTDIR);
}

}  // namespace
}  // namespace longshore::cli
