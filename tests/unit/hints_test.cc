#include "file/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace longshore {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Hints, BadValuesAreIgnoredAndNamed) {
  Hints hints;
  const HintMap before = hints.effective();
  std::vector<std::string> complaints;
  hints.apply({{"cb_buffer_size", "-3"},
               {"cb_nodes", "many"},
               {"romio_cb_write", "perhaps"},
               {"longshore_partition", "fair"},
               {"cb_config_list", "host1:4"},
               {"striping_unit", "12x"}},
              complaints);
  EXPECT_THAT(complaints, SizeIs(6));
  EXPECT_THAT(complaints[0], HasSubstr("cb_buffer_size"));
  EXPECT_EQ(hints.effective(), before);
}

TEST(Hints, GoodValuesAreInEffect) {
  Hints hints;
  std::vector<std::string> complaints;
  const HintMap given{{"cb_buffer_size", "1024"},         {"cb_nodes", "3"},
                      {"romio_cb_write", "enable"},       {"romio_ds_read", "disable"},
                      {"longshore_partition", "aligned"}, {"cb_config_list", "*:2"},
                      {"longshore_storage", "io_uring"},  {"access_style", "write_once"}};
  hints.apply(given, complaints);
  EXPECT_THAT(complaints, IsEmpty());
  const auto effective = hints.effective();
  for (const auto& [key, value] : given) {
    EXPECT_EQ(effective.at(key), value) << key;
  }
}

TEST(Hints, UnknownNamesAreNeitherKeptNorComplainedAbout) {
  Hints hints;
  std::vector<std::string> complaints;
  hints.apply({{"someone_elses_hint", "1"}}, complaints);
  EXPECT_THAT(complaints, IsEmpty());
  EXPECT_EQ(hints.effective().count("someone_elses_hint"), 0U);
}

TEST(Hints, CollectiveBufferingMeansWhatItSays) {
  Hints hints;
  std::vector<std::string> complaints;
  hints.apply({{"collective_buffering", "true"}}, complaints);
  EXPECT_EQ(hints.collective.collective_write, Choice::kEnable);
  hints.apply({{"collective_buffering", "false"}}, complaints);
  EXPECT_EQ(hints.collective.collective_read, Choice::kDisable);
}

TEST(Hints, OwnEnvironmentGoesBeforeTheHintFile) {
  const std::string path = testing::TempDir() + "hints_test.romio";
  std::ofstream(path) << "# a comment\ncb_nodes 5\ncb_buffer_size 2048\n";
  setenv("ROMIO_HINTS", path.c_str(), 1);
  setenv("LONGSHORE_HINTS", "cb_nodes=2;romio_ds_write=disable", 1);
  std::vector<std::string> complaints;
  const Hints hints = hints_from_environment(complaints);
  unsetenv("ROMIO_HINTS");
  unsetenv("LONGSHORE_HINTS");
  EXPECT_EQ(hints.collective.aggregators, 2);
  EXPECT_EQ(hints.collective.buffer_bytes, 2048);
  EXPECT_EQ(hints.independent.write, Sieving::kDisable);
}

}  // namespace
}  // namespace longshore
