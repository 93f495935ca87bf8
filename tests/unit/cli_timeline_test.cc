#include "lib/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace longshore::cli {
namespace {

using Json = nlohmann::json;

std::string event(const std::string& name, int rank, const std::string& lane, int begin,
                  int length) {
  return R"({"name":")" + name + R"(","ph":"X","pid":)" + std::to_string(rank) + R"(,"tid":")" +
         lane + R"(","ts":)" + std::to_string(begin) + R"(,"dur":)" + std::to_string(length) +
         R"(,"args":{"cycle":1}},)" + "\n";
}

Json find(const Json& document, const std::string& name) {
  for (const auto& each : document["traceEvents"]) {
    if (each["name"] == name) {
      return each;
    }
  }
  return {};
}

TEST(TimelineOf, NothingIsAValidDocument) {
  const auto timeline = timeline_of("");
  EXPECT_EQ(timeline.events, 0);
  EXPECT_TRUE(Json::parse(timeline.json)["traceEvents"].empty());
}

TEST(TimelineOf, RanksAreProcessesAndTimesBeginAtZero) {
  const auto timeline = timeline_of("{\"file\":\"/a\"}\n" + event("x", 0, "engine", 500, 10) +
                                    event("y", 1, "engine", 520, 10));
  const auto document = Json::parse(timeline.json);
  EXPECT_EQ(timeline.events, 2);
  EXPECT_EQ(find(document, "x")["ts"], 0);
  EXPECT_EQ(find(document, "y")["ts"], 20);
  EXPECT_EQ(find(document, "y")["pid"], 1);
  EXPECT_EQ(find(document, "y")["args"]["file"], "/a");
  EXPECT_EQ(find(document, "process_name")["args"]["name"], "rank 0");
}

// Nested events share a track, overlapping ones of two files do not, later ones do again.
TEST(TimelineOf, WhatOverlapsHasATrackOfItsOwn) {
  const auto timeline =
      timeline_of("{\"file\":\"/a\"}\n" + event("outer", 0, "engine", 0, 100) +
                  event("inner", 0, "engine", 10, 20) + "{\"file\":\"/b\"}\n" +
                  event("other", 0, "engine", 50, 100) + event("later", 0, "engine", 200, 5) +
                  event("storage", 0, "storage", 0, 300));
  const auto document = Json::parse(timeline.json);
  EXPECT_EQ(find(document, "outer")["tid"], find(document, "inner")["tid"]);
  EXPECT_NE(find(document, "outer")["tid"], find(document, "other")["tid"]);
  EXPECT_EQ(find(document, "outer")["tid"], find(document, "later")["tid"]);
  EXPECT_NE(find(document, "outer")["tid"], find(document, "storage")["tid"]);
  EXPECT_EQ(find(document, "other")["args"]["file"], "/b");
}

TEST(TimelineOf, BrokenLinesAreLeftOut) {
  const auto timeline =
      timeline_of("{\"file\":\"/a\"}\n{\"name\":\"x\n" + event("x", 0, "e", 1, 1));
  EXPECT_EQ(timeline.events, 1);
  EXPECT_EQ(timeline.bad_lines, 1);
}

}  // namespace
}  // namespace longshore::cli
