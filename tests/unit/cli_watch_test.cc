#include "lib/watch.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class WatchTest : public testing::Test {
 protected:
  WatchTest() : dir(fs::temp_directory_path() / ("watch_test_" + std::to_string(getpid()))) {
    fs::create_directories(dir);
    before = fs::current_path();
    fs::current_path(dir);
  }
  ~WatchTest() override {
    fs::current_path(before);
    fs::remove_all(dir);
  }
  // What a rank would write.
  static void tell(const Watch& watch, const std::string& variable, const std::string& line) {
    for (const auto& [name, value] : watch.environment()) {
      if (name == variable) {
        std::ofstream(value, std::ios::app) << line << '\n';
      }
    }
  }
  fs::path dir;
  fs::path before;
};

TEST_F(WatchTest, WithoutANameNothingIsLeft) {
  const auto watch = Watch::begin({true, "", ""});
  ASSERT_TRUE(watch);
  EXPECT_FALSE(fs::is_empty(dir));
  tell(*watch, "LONGSHORE_STATS", R"({"file":"/x","ranks":2,"hosts":1})");
  std::ostringstream out;
  EXPECT_TRUE(watch->end(out));
  EXPECT_THAT(out.str(), HasSubstr("1 file opened by up to 2 ranks"));
  EXPECT_TRUE(fs::is_empty(dir));
}

TEST_F(WatchTest, NamedFilesAreKeptWithoutTheOpens) {
  std::ofstream("s") << "old\n";
  const auto watch = Watch::begin({true, "s", "t"});
  ASSERT_TRUE(watch);
  const std::string closed = R"({"file":"/x","ranks":2,"hosts":1})";
  tell(*watch, "LONGSHORE_STATS", R"({"event":"open","file":"/x","ranks":2,"hosts":1})");
  tell(*watch, "LONGSHORE_STATS", closed);
  std::ostringstream out;
  EXPECT_TRUE(watch->end(out));
  EXPECT_EQ(content_of("s"), closed + "\n");
  EXPECT_THAT(content_of("t"), HasSubstr("traceEvents"));
  EXPECT_THAT(out.str(), HasSubstr("is empty"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), fs::directory_iterator()), 2);
}

TEST_F(WatchTest, WithoutAProgramWhatItMadeGoes) {
  const auto watch = Watch::begin({true, "", "t"});
  ASSERT_TRUE(watch);
  watch->discard();
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), fs::directory_iterator()), 1);  // t
}

TEST_F(WatchTest, WhatCannotBeWrittenIsRefused) {
  EXPECT_FALSE(Watch::begin({true, "/nowhere/s", ""}));
  EXPECT_FALSE(Watch::begin({false, "", "/nowhere/t"}));
}

}  // namespace
}  // namespace longshore::cli
