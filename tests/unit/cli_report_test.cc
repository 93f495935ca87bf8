// `longshore report` without a browser: what files are taken for, what the summary says, and that
// text from files stays text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/report_bench.h"
#include "lib/report_check.h"
#include "lib/report_check_rules.h"
#include "lib/report_input.h"
#include "lib/report_page.h"
#include "lib/report_profile.h"
#include "lib/report_stats.h"
#include "lib/report_text.h"
#include "lib/report_trace.h"

namespace longshore::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Kind = Finding::Kind;

std::string why_not(const std::string& text) {
  ReportData data;
  const auto added = add_report_input("file", text, data);
  EXPECT_FALSE(added);
  EXPECT_TRUE(data.bench.empty() && data.check.empty() && data.stats.empty() &&
              data.traces.empty());
  return added ? "" : added.error().detail;
}

ReportData data_of(const std::string& text) {
  ReportData data;
  const auto added = add_report_input("file", text, data);
  EXPECT_TRUE(added) << added.error().detail;
  return data;
}

RunRecord launch(const std::string& variant, int repetition, double write_seconds,
                 const std::string& workload = "tile") {
  RunRecord record;
  record.workload = workload;
  record.ranks = 4;
  record.dir = "shm";
  record.variant = variant;
  record.repetition = repetition;
  record.bytes = 1000000;
  record.write_seconds = write_seconds;
  record.read_seconds = write_seconds;
  return record;
}

auto finding(Kind kind, const std::string& text) {
  return ::testing::AllOf(Field(&Finding::kind, kind), Field(&Finding::text, HasSubstr(text)));
}

TEST(ReportInput, TellsKindsByTheirContent) {
  EXPECT_THAT(data_of(R"({"version":1,"runs":[{"workload":"a"}]})").bench, SizeIs(1));
  EXPECT_THAT(data_of(R"({"kind":"check","results":[{"rule":"1"}]})").check, SizeIs(1));
  EXPECT_THAT(data_of(R"({"results":[{"verdict":"pass"}]})").check, SizeIs(1));
  EXPECT_THAT(data_of(R"({"file":"f","plan_ns":1})").stats, SizeIs(1));
  EXPECT_THAT(data_of(R"({"traceEvents":[{"ph":"X","ts":1,"dur":2}]})").traces, SizeIs(1));
  EXPECT_THAT(data_of(R"([{"ph":"X","ts":1,"dur":2}])").traces, SizeIs(1));
}

TEST(ReportInput, LinesOfStatisticsAmongOthers) {
  const auto data =
      data_of("hello\n{\"file\":\"a\",\"plan_ns\":1}\n\n{\"file\":\"b\",\"plan_ns\":2}\nbye\n");
  ASSERT_THAT(data.stats, SizeIs(1));
  EXPECT_THAT(data.stats[0].files, SizeIs(2));
  EXPECT_EQ(data.stats[0].other_lines, 2);
}

TEST(ReportInput, SaysWhatIsWrong) {
  EXPECT_THAT(why_not(""), HasSubstr("is empty"));
  EXPECT_THAT(why_not(" \n"), HasSubstr("is empty"));
  EXPECT_THAT(why_not("words"), HasSubstr("no JSON"));
  EXPECT_THAT(why_not("{\"version\":1,\n\"runs\":[{\"work"), HasSubstr("ends too early"));
  EXPECT_THAT(why_not("{\n\"a\" 1}"), HasSubstr("line 2, byte 7"));
  EXPECT_THAT(why_not("{\"a\":1}"), HasSubstr("another kind (it has a)"));
  EXPECT_THAT(why_not("[]"), HasSubstr("without any complete event"));
  EXPECT_THAT(why_not("17"), HasSubstr("another kind"));
  EXPECT_THAT(why_not("{\"version\":2,\"runs\":[]}"), HasSubstr("version"));
  EXPECT_THAT(why_not("{\"file\":\"a\",\"plan_ns\":1}\n{\"file\":\"b\",\"pl"), HasSubstr("line 2"));
  EXPECT_THAT(why_not("{\"a\":1e999}"), HasSubstr("no JSON"));
}

TEST(ReportInput, FieldsOfOtherTypesAreAsIfMissing) {
  const auto data = data_of(
      R"({"version":1,"runs":[{"workload":7,"ranks":"x","bytes":1e300,"write_seconds":null}, 5]})");
  ASSERT_THAT(data.bench[0].records, SizeIs(2));
  EXPECT_EQ(data.bench[0].records[0].ranks, 0);
  const auto check = data_of(R"({"kind":"check","results":[{"ratio":"x","rule":10}, 7]})");
  ASSERT_THAT(check.check[0].results, SizeIs(1));
  EXPECT_EQ(check.check[0].results[0].rule, "10");
  EXPECT_EQ(check.check[0].results[0].ratio, std::nullopt);
}

// Rank 10 comes after rank 9, and time starts with the first event.
TEST(ReportInput, TracesHaveRanksInOrder) {
  const auto data = data_of(R"({"otherData":{"file":"f"},"traceEvents":[
    {"ph":"X","pid":10,"tid":"t","ts":30,"dur":2,"name":"a"},
    {"ph":"X","pid":9,"tid":"t","ts":20,"dur":5,"name":"b"},
    {"ph":"X","pid":9,"tid":"t","ts":21,"dur":-5,"name":"b"},
    {"ph":"M","pid":9}]})");
  ASSERT_THAT(data.traces, SizeIs(1));
  const auto& trace = data.traces[0];
  EXPECT_EQ(trace.file, "f");
  EXPECT_THAT(trace.lanes,
              ElementsAre(Field(&TraceLane::rank, "9"), Field(&TraceLane::rank, "10")));
  ASSERT_THAT(trace.events, SizeIs(2));
  EXPECT_EQ(trace.events[0].begin_us, 0);
  EXPECT_EQ(trace.events[0].lane, 0);
  EXPECT_EQ(trace.events[1].begin_us, 10);
  EXPECT_EQ(trace.ignored, 2);
}

TEST(ReportBench, SaysRatioAndSpread) {
  BenchInput input{"b.json", "", {}};
  for (int i = 0; i < 3; ++i) {
    input.records.push_back(launch("stock", i, 0.02 + 0.001 * i));
    input.records.push_back(launch("longshore", i, 0.01 + 0.001 * i));
    input.records.push_back(launch("limit", i, 0.005));
    input.records.push_back(launch("stock", i, 0.01, "slow"));
    input.records.push_back(launch("longshore", i, 0.02, "slow"));
  }
  const auto found = bench_findings(input);
  EXPECT_THAT(found, Contains(finding(Kind::kLead,
                                      "2 workloads (tile and slow) with openmpi on 4 "
                                      "ranks in shm: stock, longshore and limit; 15 "
                                      "launches, 3 repetitions.")));
  // tile: 21/11 = 1.91; slow: 0.5; their geometric mean: 0.98.
  EXPECT_THAT(found, Contains(finding(Kind::kBad,
                                      "Collective writes, openmpi: 0.98 times stock "
                                      "(geometric mean of 2: from 0.50, slow on 4 ranks "
                                      "in shm, to 1.91, tile on 4 ranks in shm), 0.45 "
                                      "of the limit.")));
  EXPECT_THAT(found, Contains(finding(Kind::kBad,
                                      "Slower than stock, with ranges that do not "
                                      "overlap: slow write, openmpi, 4 ranks, shm "
                                      "(0.50)")));
}

TEST(ReportBench, SaysWhatIsMissingOrFailed) {
  BenchInput input{"b.json", "", {launch("longshore", 0, 0.01), launch("longshore", 1, 0.01)}};
  input.records.back().outcome = RunOutcome::kWrong;
  const auto found = bench_findings(input);
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "No figures of stock")));
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "No figures of limit")));
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "Only 2 repetitions")));
  EXPECT_THAT(found,
              Contains(finding(Kind::kBad, "1 launch did not end well: longshore wrong (tile")));
}

TEST(ReportBench, TheMachineIsMissedOnlyWhereItIsNotSaid) {
  BenchInput input{"b.json", "", {launch("stock", 0, 0.01)}};
  EXPECT_THAT(bench_findings(input), Contains(finding(Kind::kUnsure, "on which machine it was")));
  input.machine = {{"hostname", "atlas"}};
  EXPECT_THAT(bench_findings(input), Not(Contains(finding(Kind::kUnsure, "on which machine"))));
  EXPECT_THAT(bench_findings(input), Contains(finding(Kind::kUnsure, "what else ran")));
}

TEST(ReportBench, OverlappingRangesMayBeChance) {
  BenchInput input{"b.json", "", {}};
  for (int i = 0; i < 3; ++i) {
    input.records.push_back(launch("stock", i, 0.01 + 0.001 * i));
    input.records.push_back(launch("longshore", i, 0.0105 + 0.001 * i));
  }
  EXPECT_THAT(bench_findings(input), Contains(finding(Kind::kUnsure, "this may be chance")));
}

TEST(ReportBench, SweepsBecomeHeatMaps) {
  BenchInput input{"b.json", "", {}};
  for (const char* nodes : {"1", "2"}) {
    for (const char* mode : {"x", "y"}) {
      input.records.push_back(launch(std::string("longshore cb_nodes=") + nodes + " mode=" + mode,
                                     0, 0.01 * std::stoi(nodes)));
    }
  }
  PageBody body;
  add_bench_section(input, body);
  int maps = 0;
  for (const auto& chart : body.charts()) {
    if (const auto* heat = std::get_if<HeatChart>(&chart)) {
      ++maps;
      EXPECT_EQ(heat->x_name, "cb_nodes");
      EXPECT_THAT(heat->xs, ElementsAre("1", "2"));
      EXPECT_THAT(heat->ys, ElementsAre("x", "y"));
      ASSERT_THAT(heat->cells, SizeIs(4));
      EXPECT_DOUBLE_EQ(heat->cells[0].share, 1);
      EXPECT_DOUBLE_EQ(heat->cells[2].share, 0.5);
    }
  }
  EXPECT_EQ(maps, 2) << "one for writes, one for reads";
  EXPECT_THAT(body.html(), HasSubstr("cb_nodes by mode, writes, openmpi: tile, 4 ranks, shm"));
  EXPECT_THAT(body.html(), Not(HasSubstr(">stock<"))) << "no column without figures";
  EXPECT_THAT(bench_findings(input),
              Contains(finding(Kind::kPlain,
                               "Fastest value of cb_nodes: 1 in 4 of 4 (4) and 2 in 0 of 4 (0);")));
}

TEST(ReportBench, LinesOverSizesNeedTwoSizes) {
  std::vector<BenchInput> inputs = {{"a", "", {launch("stock", 0, 0.01)}}};
  PageBody one;
  add_bench_sizes(inputs, one);
  EXPECT_THAT(one.charts(), IsEmpty());
  inputs.push_back({"b", "", {launch("stock", 0, 0.02)}});
  inputs.back().records[0].bytes = 4000000;
  PageBody two;
  add_bench_sizes(inputs, two);
  ASSERT_THAT(two.charts(), SizeIs(1));
  EXPECT_THAT(std::get<LinesChart>(two.charts()[0]).points, SizeIs(4));
}

CheckResult measured(const std::string& io, const std::string& rule, const std::string& verdict,
                     double ratio) {
  CheckResult result;
  result.mpi = "mpich";
  result.mpi_io = io;
  result.rule = rule;
  result.name = "a vs b";
  result.verdict = verdict;
  result.ratio = ratio;
  result.low = ratio - 0.1;
  result.high = ratio + 0.1;
  result.ranks = 2;
  result.operation = "write";
  result.bytes = 4096;
  return result;
}

TEST(ReportCheck, SaysWhichRulesFailAndWhatHelps) {
  CheckInput input{"c.json", {}, 0.1, {}, {}, {}};
  input.results = {measured("stock", "11", "fail", 2), measured("stock", "11", "fail", 3),
                   measured("stock", "1", "pass", 1), measured("longshore", "1", "pass", 1),
                   measured("longshore", "2", "odd", 1)};
  input.results[1].advice = "cb_nodes=1";
  const auto found = check_findings(input);
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "does not say on which machine")));
  EXPECT_THAT(found, Contains(finding(Kind::kBad, "mpich stock breaks 1 rule: 1 pass, 2 fail.")));
  EXPECT_THAT(found, Contains(finding(Kind::kBad,
                                      "mpich stock breaks rule 11 a vs b in 2 cases; the "
                                      "worst is 3.00 (2.90 to 3.10) times as long "
                                      "(write, 4 KiB, 2 ranks). What would help: "
                                      "cb_nodes=1")));
  EXPECT_THAT(found, Contains(finding(Kind::kGood,
                                      "mpich longshore breaks no rule that could be "
                                      "decided: 1 pass, 1 undecided.")));
}

TEST(ReportCheck, AdvisesOnlyWhereARuleFails) {
  CheckInput input{"c.json", {}, 0.1, {}, {}, {}};
  input.results = {measured("stock", "11", "fail", 2), measured("stock", "1", "pass", 1)};
  input.results[0].advice = "of the failed";
  input.results[1].advice = "of the passed";
  const auto page = render_page({{}, {input}, {}, {}}, {"title", "made"});
  EXPECT_THAT(page, HasSubstr("of the failed"));
  EXPECT_THAT(page, Not(HasSubstr("of the passed")));
}

TEST(ReportCheck, SaysWhatWasSkippedOrWentWrong) {
  const auto data = data_of(R"({"kind":"check","results":[
    {"rule":"4","name":"n","verdict":"fail","wrong":"it hung","variant":"dense","mpi":"mpich"}],
    "skipped":[{"reason":"no external32"},{"reason":"no external32"}],
    "mishaps":[{"where":"mpich, 4 ranks","what":"exit code 1"}]})");
  const auto found = check_findings(data.check[0]);
  EXPECT_THAT(found, Contains(finding(Kind::kBad, "since it went wrong: it hung (dense)")));
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "2 measurements skipped: no external32.")));
  EXPECT_THAT(found, Contains(finding(Kind::kBad, "failed: mpich, 4 ranks: exit code 1.")));
}

TEST(ReportPage, TheFooterNamesTheMachines) {
  ReportData data = data_of(R"({"version":1,"runs":[{"workload":"a"}],
    "machine":{"hostname":"<atlas>","cores":8,"file_systems":{"shm":"tmpfs","disk":"ext4"}}})");
  data.check.push_back({"c.json", {}, 0.1, {measured("stock", "1", "pass", 1)}, {}, {}});
  const auto page = render_page(data, {});
  const auto footer = page.substr(page.find("<footer>"), 400);
  EXPECT_THAT(footer, HasSubstr("c.json: the file does not say"));
  EXPECT_THAT(footer, HasSubstr("file: hostname &lt;atlas&gt;; cores 8; file systems shm tmpfs, "
                                "disk ext4</li>"));
}

TEST(ReportCheck, RulesAreInOrderOfNumbers) {
  EXPECT_THAT(rules_of({measured("s", "10", "pass", 1), measured("s", "2", "pass", 1)}),
              ElementsAre("2 a vs b", "10 a vs b"));
}

TEST(ReportStats, NamesTheLongestPhaseWithoutWaiting) {
  const auto data =
      data_of(R"({"file":"f","plan_ns":1000000,"exchange_ns":3000000,"wait_ns":9000000,
    "storage_ns":0,"call_ns":99000000,"bytes_written":1048576,"storage_calls":1234,"choice":"two phases",
    "hints":{"a":"1","b":"2"},"messages":0})");
  EXPECT_THAT(stats_findings(data.stats[0]),
              Contains(finding(Kind::kPlain,
                               "f: 1 MiB written and 0 B read in 1,234 storage calls; "
                               "of 4.00 ms, summed over ranks, 75% were exchange.")));
  PageBody body;
  add_stats_section(data.stats[0], body);
  EXPECT_THAT(body.html(), HasSubstr("choice: two phases"));
  EXPECT_THAT(body.html(), HasSubstr("hints: a 1, b 2"));
  EXPECT_THAT(body.html(), HasSubstr("call, ms")) << "a time, but no phase";
  EXPECT_THAT(body.html(), Not(HasSubstr("messages"))) << "nothing was counted";
}

TEST(ReportProfile, TellsWhatWasMeasured) {
  const auto data = data_of(
      "# site profile\ncopy_mb_s = 5000  # measured\nlocal_call_us = 7\n"
      "step_us = 10  # built in, not measured\n");
  ASSERT_THAT(data.profiles, SizeIs(1));
  ASSERT_THAT(data.profiles[0].values, SizeIs(3));
  EXPECT_EQ(data.profiles[0].values[0].value, 5000);
  EXPECT_EQ(data.profiles[0].values[1].remark, "");
  const auto found = profile_findings(data.profiles[0]);
  EXPECT_THAT(found, Contains(finding(Kind::kLead, "1 measured constant.")));
  EXPECT_THAT(found, Contains(finding(Kind::kUnsure, "2 constants were not measured.")));
  PageBody body;
  add_profile_section(data.profiles[0], body);
  EXPECT_THAT(body.charts(), SizeIs(2)) << "times and speeds";
  EXPECT_THAT(body.html(), HasSubstr("local call"));
  EXPECT_THAT(why_not("copy_mb_s = 5000\nno_such_key = 1\n"), HasSubstr("no_such_key"));
}

TraceInput trace_of(const std::vector<std::pair<double, double>>& spans) {
  TraceInput trace;
  trace.lanes = {{"0", "t"}};
  trace.names = {"a"};
  for (const auto& [begin, end] : spans) {
    trace.events.push_back({0, 0, begin, end - begin, 1});
  }
  return trace;
}

// The header's example: a span of 10 * 8192 gives a grain of 10 at once.
TEST(ReportTrace, ShortEventsBecomeBlocks) {
  const auto trace = trace_of({{0, 3}, {4, 8}, {9, 12}, {20, 50}, {81900, 81920}});
  EXPECT_THAT(timeline_of(trace, 5).events, SizeIs(5)) << "as they are";
  const auto chart = timeline_of(trace, 4);
  ASSERT_THAT(chart.events, SizeIs(4));
  EXPECT_EQ(chart.events[0].count, 2);
  EXPECT_EQ(chart.events[0].duration_us, 8);
  EXPECT_EQ(chart.events[1].begin_us, 9);
  EXPECT_EQ(chart.events[2].duration_us, 30);
}

TEST(ReportTrace, StaysWithinItsBound) {
  std::vector<std::pair<double, double>> spans;
  for (int i = 0; i < 50000; ++i) {
    spans.emplace_back(i * 10.0, i * 10.0 + 9);
  }
  const auto chart = timeline_of(trace_of(spans), 1000);
  EXPECT_LE(chart.events.size(), 1000U);
  int64_t count = 0;
  for (const auto& event : chart.events) {
    count += event.count;
  }
  EXPECT_EQ(count, 50000) << "no event is lost";
}

TEST(ReportTrace, OfManyRanksSomeAreShown) {
  TraceInput trace;
  trace.names = {"a"};
  for (int rank = 0; rank < 1000; ++rank) {
    trace.lanes.push_back({std::to_string(rank), ""});
    trace.events.push_back({rank, 0, 0, 1, 1});
  }
  const auto chart = timeline_of(trace, 100000);
  EXPECT_THAT(chart.lanes, SizeIs(kMostTimelineRanks));
  EXPECT_EQ(chart.lanes.front(), "rank 0");
  EXPECT_THAT(chart.events, SizeIs(kMostTimelineRanks));
}

TEST(ReportPage, TextStaysText) {
  const std::string evil = R"(</script><script>alert(1)</script>"' & {{charts}})";
  BenchInput bench{evil, evil, {launch("stock", 0, 0.01, evil)}};
  bench.records[0].dir = evil;
  CheckInput check{evil, {{evil, evil}}, 0.1, {measured(evil, evil, evil, 2)}, {evil}, {evil}};
  check.results[0].advice = evil;
  StatsInput stats{evil, {{evil, {{"plan_ns", 1}, {evil, 2}}, {{evil, evil}}}}, 0};
  auto trace = trace_of({{0, 1}});
  trace.source = trace.file = trace.names[0] = trace.lanes[0].name = evil;
  const auto page = render_page({{bench}, {check}, {stats}, {trace}}, {evil, evil});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("</script><script>")));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
}

TEST(ReportPage, LongTablesAreFolded) {
  HtmlTable table{"c", {{"a"}}, {}};
  PageBody short_one;
  table.rows.assign(3, {"x"});
  short_one.table(table);
  EXPECT_THAT(short_one.html(), Not(HasSubstr("<details>")));
  PageBody long_one;
  table.rows.assign(100, {"x"});
  long_one.table(table);
  EXPECT_THAT(long_one.html(), HasSubstr("<details><summary>Table of 100 rows"));
}

TEST(ReportPage, LeadsStandOutsideOfLists) {
  EXPECT_EQ(render_findings({{Kind::kLead, "a"}, {Kind::kGood, "b"}, {Kind::kLead, "c"}}),
            "<p class=\"lead\">a</p>\n<ul>\n<li class=\"good\">b</li>\n</ul>\n<p "
            "class=\"lead\">c</p>\n");
}

TEST(ReportPage, TemplatesAreFilledOnce) {
  EXPECT_EQ(fill_template("a {{x}} {{y}} {{x", {{"x", "{{y}}"}, {"z", "1"}}), "a {{y}} {{y}} {{x");
}

TEST(ReportPage, BytesThatAreNoUtf8DoNoHarm) {
  auto trace = trace_of({{0, 1}});
  trace.names[0] = "\xff\xfe";
  EXPECT_THAT(render_page({{}, {}, {}, {trace}}, {}), HasSubstr("</html>"));
}

TEST(ReportText, FiguresAndLists) {
  EXPECT_EQ(figure(1234.5), "1234");
  EXPECT_EQ(figure(56.78), "56.8");
  EXPECT_EQ(figure(1.8512), "1.85");
  EXPECT_EQ(figure(0.0042), "0.0042");
  EXPECT_EQ(bytes_text(4096), "4 KiB");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(counted(2, "launch"), "2 launches");
}

}  // namespace
}  // namespace longshore::cli
