// How densely a process reads.
#include "agent/read_streams.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(ReadStreams, CountsReadsInAPage) {
  ReadStreams streams;
  EXPECT_EQ(streams.count(5), 1);
  EXPECT_EQ(streams.count(5), 2);
  EXPECT_EQ(streams.count(9), 1);
  EXPECT_EQ(streams.count(5), 3);
}

TEST(ReadStreams, ThePageBeforeTellsWhatFollows) {
  ReadStreams streams;
  for (int i = 0; i < 16; ++i) {
    streams.count(0);
  }
  EXPECT_EQ(streams.count(1), 16);
  EXPECT_EQ(streams.count(1), 16);
  EXPECT_EQ(streams.count(2), 2);  // there were two in page 1
  EXPECT_EQ(streams.count(4), 1);
}

TEST(ReadStreams, SeveralStreamsDoNotMeet) {
  ReadStreams streams;
  for (int i = 0; i < 8; ++i) {
    streams.count(10);
    streams.count(1020);
  }
  EXPECT_EQ(streams.count(11), 8);
  EXPECT_EQ(streams.count(1021), 8);
}

TEST(ReadStreams, JumpsAboutPromiseNothing) {
  ReadStreams streams;
  for (int64_t page = 0; page < 1000; ++page) {
    ASSERT_EQ(streams.count(page * 7919 % 100003), 1);
  }
}

}  // namespace
}  // namespace longshore
