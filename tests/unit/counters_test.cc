#include "core/counters.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>
#include <vector>

namespace longshore {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Counters, AddGetSnapshotReset) {
  Counters counters;
  counters.add(Counter::kBytesWritten, 40);
  counters.add(Counter::kBytesWritten, 2);
  counters.add(Counter::kMessages, 1);
  EXPECT_EQ(counters.get(Counter::kBytesWritten), 42);
  CounterValues expected{};
  expected[static_cast<size_t>(Counter::kBytesWritten)] = 42;
  expected[static_cast<size_t>(Counter::kMessages)] = 1;
  EXPECT_EQ(counters.snapshot(), expected);
  counters.reset();
  EXPECT_EQ(counters.snapshot(), CounterValues{});
}

TEST(Counters, NoAdditionIsLostAmongThreads) {
  Counters counters;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) {
        counters.add(Counter::kStorageCalls, 1);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(counters.get(Counter::kStorageCalls), 40000);
}

TEST(Counters, NamesAreDistinct) {
  std::set<std::string> names;
  for (size_t i = 0; i < kCounterCount; ++i) {
    names.insert(name(static_cast<Counter>(i)));
  }
  EXPECT_EQ(names.size(), kCounterCount);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Counters, Text) {
  CounterValues values{};
  values[static_cast<size_t>(Counter::kStorageNs)] = 1'500'000;
  values[static_cast<size_t>(Counter::kRmwBytes)] = 7;
  const std::string text = render_text("/data/x", values);
  EXPECT_THAT(text, HasSubstr("file /data/x\n"));
  EXPECT_THAT(text, HasSubstr("storage                 1.500 ms\n"));
  EXPECT_THAT(text, HasSubstr("rmw_bytes               7\n"));
}

TEST(Counters, Json) {
  CounterValues values{};
  values[static_cast<size_t>(Counter::kMessages)] = 3;
  const std::string text = render_json("a\"b", values, ",\"ranks\":4");
  EXPECT_THAT(
      text,
      StartsWith(
          "{\"file\":\"a\\\"b\",\"plan_ns\":0,\"exchange_ns\":0,\"wait_ns\":0,\"storage_ns\":0,"
          "\"bytes_read\":0,\"bytes_written\":0,\"bytes_copied\":0,\"messages\":3,"
          "\"storage_calls\":0,\"rmw_bytes\":0,"));
  EXPECT_THAT(text, EndsWith(",\"collective_alone\":0,\"ranks\":4}"));
}

TEST(JsonString, EscapesWhatJsonForbids) {
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a\\b\"c"), "\"a\\\\b\\\"c\"");
  EXPECT_EQ(json_string("tab\tnl\n"), "\"tab\\u0009nl\\u000a\"");
  EXPECT_EQ(json_string(std::string_view("\0x", 2)), "\"\\u0000x\"");
  EXPECT_EQ(json_string("\x7f"), "\"\\u007f\"");
}

TEST(JsonString, KeepsUtf8AndReplacesTheRest) {
  EXPECT_EQ(json_string("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"),
            "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\"");
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(json_string("a\xFF"), "\"a" + mark + "\"");
  EXPECT_EQ(json_string("\xC3"), "\"" + mark + "\"");                        // cut off
  EXPECT_EQ(json_string("\xC0\xAF"), "\"" + mark + mark + "\"");             // overlong
  EXPECT_EQ(json_string("\xED\xA0\x80"), "\"" + mark + mark + mark + "\"");  // surrogate
}

}  // namespace
}  // namespace longshore
