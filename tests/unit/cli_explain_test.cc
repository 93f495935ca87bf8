#include "lib/explain.h"

#include <gmock/gmock.h>

#include "lib/explain_text.h"

namespace longshore::cli {
namespace {

using testing::HasSubstr;

Explanation told(const std::string& pattern, const Layout& layout = {}, const Hints& hints = {}) {
  const auto spec = parse_pattern(pattern);
  EXPECT_TRUE(spec) << pattern;
  return explain({*spec, layout, hints, {}});
}

TEST(ParsePattern, FillsInWhatIsNotSaid) {
  const auto spec = parse_pattern("ranks=8 block=2K count=10");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->shift_bytes, 2048);
  EXPECT_EQ(spec->stride_bytes, 8 * 2048);
  EXPECT_TRUE(spec->collective);
  EXPECT_FALSE(spec->reads);
}

TEST(ParsePattern, NamesCanBeChanged) {
  const auto spec = parse_pattern("strided_view ranks=3 calls=read_at");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->block_bytes, 512);
  EXPECT_EQ(spec->ranks, 3);
  EXPECT_TRUE(spec->reads);
  EXPECT_FALSE(spec->collective);
}

TEST(ParsePattern, RefusesNonsense) {
  for (const char* text : {"ranks=0", "ranks=-1", "ranks", "block=1X", "colour=red", "calls=append",
                           "block=4K stride=1K", "ranks=2 hosts=3", "ranks=99999999999",
                           "count=9999999999 block=9999999999", "unknown_name"}) {
    EXPECT_FALSE(parse_pattern(text)) << text;
  }
}

TEST(ParsePattern, EveryNamedOneIsUnderstood) {
  for (const auto& each : named_patterns()) {
    EXPECT_TRUE(parse_pattern(each.name)) << each.name;
  }
}

TEST(Explain, InterleavedPiecesGoThroughAggregators) {
  const auto one = told("ranks=4 cores=2 calls=write_all block=1K count=1000");
  EXPECT_THAT(one.how, HasSubstr("two phases: 2 aggregators"));
  EXPECT_EQ(one.why, "the ranks' bytes interleave");
  EXPECT_EQ(one.cycles, 2);  // 4000 KiB over 2 aggregators with 1 MiB each
  EXPECT_EQ(one.alternatives.front().kind, "as chosen");
}

TEST(Explain, SparseAndSeparatePiecesDoNot) {
  EXPECT_EQ(told("sparse_64").how, "every rank for itself");
  EXPECT_EQ(told("contiguous").how, "every rank for itself");
}

TEST(Explain, SmallIndependentWritesGoThroughPages) {
  EXPECT_EQ(told("records_64").how, "through pages in memory");
  EXPECT_EQ(told("records_64 ranks=1").how, "directly, in one piece");
  Hints off;
  std::vector<std::string> complaints;
  off.apply({{"longshore_write_behind", "off"}}, complaints);
  EXPECT_EQ(told("strided_view", {}, off).how, "as a list of pieces");
}

TEST(Explain, StripesAndHostsChangeTheStrategy) {
  const auto one = told("round_robin_4k ranks=8 hosts=2", plain_layout(4096, 1 << 20, 4));
  EXPECT_THAT(one.how, HasSubstr("aligned partition"));
  EXPECT_THAT(one.how, HasSubstr("write_comm_2 pipeline"));
}

TEST(Explain, AlternativesCoverTheChoices) {
  const auto one = told("round_robin_4k");
  for (const char* kind : {"phases", "partition", "exchange", "pipeline"}) {
    EXPECT_TRUE(std::any_of(one.alternatives.begin(), one.alternatives.end(),
                            [&](const auto& each) { return each.kind == kind; }))
        << kind;
  }
  for (const auto& each : one.alternatives) {
    EXPECT_GT(each.cost.total_ms, 0) << each.how;
  }
}

TEST(ExplanationText, SaysThatItPredicts) {
  const auto text = explanation_text(told("round_robin_4k"));
  EXPECT_THAT(text, HasSubstr("nothing was measured"));
  EXPECT_THAT(text, HasSubstr("[longshore_exchange=two_sided]"));
  EXPECT_THAT(explanation_json("x", {}, told("records_64"), {}), HasSubstr("not measurements"));
  EXPECT_EQ(layout_text("/x", plain_layout(4096, 65536, 4)),
            "/x: stripes of 64 KiB over 4 targets");
}

TEST(HintsOf, BadOnesAreNamed) {
  EXPECT_FALSE(hints_of({"cb_nodes"}));
  EXPECT_FALSE(hints_of({"cb_nodes=many"}));
  EXPECT_EQ(hints_of({"cb_nodes=3"})->collective.aggregators, 3);
}

TEST(HintsOf, UnknownNamesAreRefusedWithThoseThereAre) {
  const auto typo = hints_of({"cb_node=3"});
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(typo.error().detail, "--hint cb_node=3: no such hint; did you mean cb_nodes?");
  const auto foreign = hints_of({"nosuch=1"});
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().detail, HasSubstr(" cb_buffer_size cb_config_list "));
  EXPECT_TRUE(hints_of({"access_style=read_once"}));  // MPI's, though it changes nothing
}

TEST(LayoutOf, BelowAFileThereIsNothing) {
  const auto layout = layout_of("/etc/passwd/x", {});
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, ErrorClass::kNoSuchFile);
  EXPECT_TRUE(layout_of("/etc/not-there", {}));
  EXPECT_TRUE(layout_of("/etc", {}));
}

}  // namespace
}  // namespace longshore::cli
