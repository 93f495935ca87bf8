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
               {"read_density", "101"},
               {"write_density", "-1"},
               {"use_only_contig_io", "yes"},
               {"longshore_prefetch", "65"},
               {"striping_unit", "12x"}},
              complaints);
  EXPECT_THAT(complaints, SizeIs(10));
  EXPECT_THAT(complaints[0], HasSubstr("cb_buffer_size"));
  EXPECT_EQ(hints.effective(), before);
}

TEST(Hints, GoodValuesAreInEffect) {
  Hints hints;
  std::vector<std::string> complaints;
  const HintMap given{{"cb_buffer_size", "1024"},
                      {"cb_nodes", "3"},
                      {"romio_cb_write", "enable"},
                      {"romio_ds_read", "disable"},
                      {"longshore_partition", "aligned"},
                      {"cb_config_list", "*:2"},
                      {"longshore_storage", "io_uring"},
                      {"access_style", "write_once"},
                      {"read_density", "40"},
                      {"write_density", "5"},
                      {"use_only_contig_io", "true"},
                      {"longshore_prefetch", "8"}};
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

// A program's own word counts most, then LONGSHORE_HINTS, then LONGSHORE_PREFETCH.
TEST(Hints, PrefetchIsANumberOrAutomatic) {
  std::vector<std::string> complaints;
  EXPECT_EQ(Hints{}.effective().at("longshore_prefetch"), "automatic");
  setenv("LONGSHORE_PREFETCH", "3", 1);
  Hints hints = hints_from_environment(complaints);
  EXPECT_EQ(hints.effective().at("longshore_prefetch"), "3");
  hints.apply({{"longshore_prefetch", "0"}}, complaints);
  EXPECT_EQ(hints.independent.prefetch.max_ranges, 0);
  hints.apply({{"longshore_prefetch", "automatic"}}, complaints);
  EXPECT_EQ(hints.independent.prefetch.max_ranges, PrefetchTerms::kAutomatic);
  EXPECT_THAT(complaints, IsEmpty());
  setenv("LONGSHORE_HINTS", "longshore_prefetch=5", 1);
  EXPECT_EQ(hints_from_environment(complaints).independent.prefetch.max_ranges, 5);
  unsetenv("LONGSHORE_HINTS");
  setenv("LONGSHORE_PREFETCH", "-1", 1);
  EXPECT_EQ(hints_from_environment(complaints).effective().at("longshore_prefetch"), "automatic");
  EXPECT_THAT(complaints, SizeIs(1));
  unsetenv("LONGSHORE_PREFETCH");
}

TEST(Hints, AgentsAreAllOnePerNodeSoManyOrThese) {
  Hints hints;
  std::vector<std::string> complaints;
  for (const char* text : {"all", "nodes", "3", "ranks:0,4,8", "ranks:7"}) {
    hints.apply({{"longshore_agents", text}}, complaints);
    EXPECT_EQ(hints.effective().at("longshore_agents"), text);
  }
  hints.apply({{"longshore_agents", "ranks:5,1,5"}}, complaints);
  EXPECT_EQ(hints.effective().at("longshore_agents"), "ranks:1,5");
  EXPECT_THAT(complaints, IsEmpty());
  for (const char* text : {"0", "-1", "some", "ranks:", "ranks:1,", "ranks:-2", "ranks:a"}) {
    complaints.clear();
    hints.apply({{"longshore_agents", text}}, complaints);
    EXPECT_THAT(complaints, SizeIs(1)) << text;
    EXPECT_EQ(hints.effective().at("longshore_agents"), "ranks:1,5") << text;
  }
}

TEST(Hints, NodesOfGpfsKeepTheirOrder) {
  Hints hints;
  std::vector<std::string> complaints;
  EXPECT_EQ(hints.effective().at("longshore_gpfs_agents"), "automatic");
  EXPECT_EQ(hints.effective().at("longshore_gpfs_data_shipping"), "disable");
  hints.apply({{"longshore_gpfs_agents", "7,2,5,2"}, {"longshore_gpfs_data_shipping", "enable"}},
              complaints);
  EXPECT_THAT(complaints, IsEmpty());
  EXPECT_EQ(hints.effective().at("longshore_gpfs_agents"), "7,2,5,2");
  EXPECT_TRUE(hints.shipping.wanted);
  for (const char* bad : {"", "0", "1,,2", "1,", "a", "-1"}) {
    hints.apply({{"longshore_gpfs_agents", bad}}, complaints);
  }
  EXPECT_THAT(complaints, SizeIs(6));
  EXPECT_EQ(hints.effective().at("longshore_gpfs_agents"), "7,2,5,2");
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
