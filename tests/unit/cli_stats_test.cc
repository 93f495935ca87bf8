#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "lib/stats_advice.h"
#include "lib/stats_lines.h"
#include "lib/stats_text.h"

namespace longshore::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string close_line(const std::string& file, const std::string& more) {
  return R"({"file":")" + file + R"(","ranks":4,"hosts":1,"call_ns":4000000,)" +
         R"("slowest_call_ns":1000000,)" + more + R"("event":"close"})" + "\n";
}

std::string open_line(const std::string& file) {
  return R"({"event":"open","file":")" + file + R"(","ranks":4,"hosts":1})" + "\n";
}

std::string left_open_line(const std::string& file, int rank) {
  return R"({"file":")" + file + R"(","ranks":4,"hosts":1,"writes_pages":5,"rank":)" +
         std::to_string(rank) + R"(,"event":"left_open"})" + "\n";
}

TEST(ReadStats, OpensThatWereClosedAreNotToldTwice) {
  const auto run = read_stats(open_line("a") + close_line("a", R"("bytes_written":7,)"));
  ASSERT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.files[0].end, FileEnd::kClosed);
  EXPECT_EQ(run.files[0].get("bytes_written"), 7);
  EXPECT_THAT(run.kept_lines, Not(HasSubstr("\"open\"")));
}

TEST(ReadStats, OneOfTwoOpensOfAFileHasNoEnd) {
  const auto run = read_stats(open_line("a") + close_line("a", "") + open_line("a"));
  ASSERT_EQ(run.files.size(), 2U);
  EXPECT_EQ(run.files[1].end, FileEnd::kUnknown);
  EXPECT_THAT(run.kept_lines, HasSubstr("\"open\""));
}

TEST(ReadStats, PartsOfRanksAreAddedUp) {
  const auto run = read_stats(open_line("a") + left_open_line("a", 0) + left_open_line("a", 2));
  ASSERT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.files[0].end, FileEnd::kLeftOpen);
  EXPECT_EQ(run.files[0].heard, 2);
  EXPECT_EQ(run.files[0].get("writes_pages"), 10);
  EXPECT_THAT(summary_of(run), HasSubstr("LEFT OPEN: counters of 2 of 4 ranks"));
}

TEST(ReadStats, WhatIsNoLineIsCounted) {
  const auto run = read_stats("half a li\n" + close_line("a", "") + "{\"no\":\"file\"}\n\n");
  EXPECT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.bad_lines, 2);
  EXPECT_THAT(summary_of(run), HasSubstr("2 lines of the report could not be read"));
}

TEST(SummaryOf, SaysWhenNoFileWasOpened) {
  EXPECT_THAT(summary_of(read_stats("")), HasSubstr("opened no file"));
}

TEST(SummaryOf, HasBytesCallsBandwidthAndChoices) {
  const auto text = summary_of(read_stats(close_line(
      "/d/x",
      R"("collective_writes":4,"collective_write_bytes":8000000,"storage_ns":2000000,)"
      R"("storage_calls":2,"bytes_written":8000000,)"
      R"("choices":[{"call":"write_all","how":"two phases: x","why":"they interleave","calls":1}],)")));
  EXPECT_THAT(text, HasSubstr("1 file opened by up to 4 ranks on 1 host"));
  EXPECT_THAT(text, HasSubstr("8.0 MB     in 4 collective calls of the ranks"));
  EXPECT_THAT(text, HasSubstr("8000 MB/s"));  // 8 MB in the slowest rank's 1 ms
  EXPECT_THAT(text, HasSubstr("storage 2.00 ms"));
  EXPECT_THAT(text, HasSubstr("2 calls of 4.0 MB"));
  EXPECT_THAT(text, HasSubstr("1 x write_all: two phases: x\n      because they interleave"));
}

TEST(SummaryOf, ManyFilesFitOnAScreen) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) {
    lines +=
        close_line("/d/" + std::to_string(i), R"("writes_direct":1,"independent_write_bytes":9,)");
  }
  const auto text = summary_of(read_stats(lines));
  EXPECT_THAT(text, HasSubstr("1000 files"));
  EXPECT_THAT(text, HasSubstr("and 995 more"));
  EXPECT_THAT(text, HasSubstr("1000 independent calls"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
}

// A file of 4 ranks on one host that did nothing remarkable.
FileStats file() {
  FileStats stats;
  stats.file = "x";
  stats.ranks = 4;
  stats.counters = {{"call_ns", 1000}};
  return stats;
}

std::vector<std::string> advised(const FileStats& stats) {
  std::vector<std::string> all;
  for (const auto& each : advice_for({stats})) {
    all.push_back(each.what);
  }
  return all;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AdviceFor, NothingWhereNothingIsWrong) { EXPECT_THAT(advised(file()), IsEmpty()); }

TEST(AdviceFor, SmallWritesWithoutPages) {
  auto stats = file();
  stats.hints["longshore_write_behind"] = "off";
  stats.counters["writes_direct"] = 1000;
  stats.counters["independent_write_bytes"] = 64000;
  EXPECT_THAT(advised(stats), ElementsAre("longshore_write_behind=automatic"));
  stats.hints["longshore_write_behind"] = "automatic";
  EXPECT_THAT(advised(stats), IsEmpty());
  stats.hints["longshore_write_behind"] = "off";
  stats.counters["independent_write_bytes"] = 64'000'000;  // large ones need none
  EXPECT_THAT(advised(stats), IsEmpty());
}

TEST(AdviceFor, BytesReadToBeWrittenBack) {
  auto stats = file();
  stats.counters["rmw_bytes"] = 100;
  stats.counters["independent_write_bytes"] = 50;
  EXPECT_THAT(advised(stats), ElementsAre("romio_ds_write=automatic"));
}

TEST(AdviceFor, TinyBuffersOfCallsInTwoPhases) {
  auto stats = file();
  stats.hints["cb_buffer_size"] = "4096";
  EXPECT_THAT(advised(stats), IsEmpty());
  stats.choices = {{"write_all", "two phases: x", "", 1}};
  EXPECT_THAT(advised(stats), ElementsAre("cb_buffer_size=1048576"));
  stats.striped = true;
  stats.stripe_bytes = 1 << 20;
  EXPECT_THAT(advised(stats), ElementsAre("cb_buffer_size=16777216"));
}

TEST(AdviceFor, AggregatorsOnFewHosts) {
  auto stats = file();
  stats.hosts = 4;
  stats.hints["cb_nodes"] = "1";
  stats.choices = {{"write_all", "two phases: x", "", 1}};
  EXPECT_THAT(advised(stats), ElementsAre("cb_nodes=4"));
}

TEST(AdviceFor, CollectiveCallsThatAHintMakesIndependent) {
  auto stats = file();
  stats.choices = {
      {"write_all", "every rank for itself", "collective buffering is disabled by hint", 1}};
  EXPECT_THAT(advised(stats), ElementsAre("romio_cb_write=automatic and romio_cb_read=automatic"));
  stats.choices = {{"write_all", "every rank for itself", "sparse access by hint: x", 1}};
  EXPECT_THAT(advised(stats), ElementsAre("longshore_sparse=automatic"));
}

TEST(AdviceFor, SmallStripesSievesMessagesWaits) {
  auto stats = file();
  stats.striped = true;
  stats.stripe_bytes = 4096;
  EXPECT_THAT(advised(stats), ElementsAre("striping_unit=1048576 when the file is created"));
  stats = file();
  stats.counters["reads_sieve"] = 1;
  stats.counters["bytes_read"] = 100;
  stats.counters["independent_read_bytes"] = 10;
  EXPECT_THAT(advised(stats), ElementsAre("romio_ds_read=disable"));
  stats = file();
  stats.counters["messages"] = 10;
  stats.choices = {{"write_all", "two phases: two_sided exchange", "", 1}};
  EXPECT_THAT(advised(stats), ElementsAre("longshore_exchange=automatic"));
  stats = file();
  stats.counters["collective_writes"] = 4;
  stats.counters["plan_ns"] = 900;
  EXPECT_EQ(advised(stats).size(), 1U);
}

TEST(AdviceFor, ThreeAtMostAndEachOnce) {
  auto stats = file();
  stats.hints = {{"cb_buffer_size", "1"}, {"cb_nodes", "1"}, {"longshore_write_behind", "off"}};
  stats.hosts = 2;
  stats.counters["writes_direct"] = 1'000'000;
  stats.counters["rmw_bytes"] = 1;
  stats.choices = {{"write_all", "two phases: x", "", 1}};
  EXPECT_EQ(advice_for({stats, stats}).size(), kMostAdvice);
  EXPECT_EQ(advice_for({stats, stats})[0].weight, 2000);
}

}  // namespace
}  // namespace longshore::cli
