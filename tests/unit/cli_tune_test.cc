#include "lib/tune.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

TEST(Tune, MeasuresAndCleansUp) {
  const fs::path dir = fs::temp_directory_path() / "longshore_tune_test";
  fs::create_directories(dir);
  const auto result = tune({dir.string(), 0.05, false});
  ASSERT_TRUE(result);
  EXPECT_TRUE(fs::is_empty(dir));
  fs::remove(dir);
  for (const auto& [key, value] : values_of(result->profile)) {
    EXPECT_GT(value, 0) << key;
  }
  EXPECT_NE(result->profile.copy_mb_s, Profile{}.copy_mb_s);
  EXPECT_EQ(result->profile.remote.call_us, Profile{}.remote.call_us);
}

TEST(Tune, ItsTextIsAProfile) {
  TuneResult result;
  result.profile.remote.call_us = 77;
  result.measured = {"remote_call_us"};
  const auto text = profile_text(result);
  const auto read = parse_profile(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->remote.call_us, 77);
  EXPECT_NE(text.find("remote_call_us = 77  # measured"), std::string::npos);
  EXPECT_NE(text.find("network_us = 30  # built in, not measured"), std::string::npos);
}

TEST(Tune, AFolderThatIsNotThereIsAnError) { EXPECT_FALSE(tune({"/nowhere/at/all", 0.05, false})); }

}  // namespace
}  // namespace longshore::cli
