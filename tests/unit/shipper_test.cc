#include "agent/shipper.h"

#include <gmock/gmock.h>

#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "unit/ship_ranks.h"

namespace longshore {
namespace {

TEST(Shipper, AWriteIsSeenByTheReadThatFollows) {
  for (const bool two_stage : {false, true}) {
    Ranks ranks(2, {.two_stage = two_stage});
    ranks.start();
    ASSERT_TRUE(ranks.shippers[0].write(1, 100, filled(20, 7)));
    ASSERT_TRUE(ranks.shippers[0].write(1, 110, filled(5, 8)));
    const auto seen = ranks.read(0, 1, {{98, 14}, {114, 2}}, 16);
    auto expected = filled(16, 7);
    std::fill_n(expected.begin(), 2, std::byte{0});
    std::fill_n(expected.begin() + 12, 3, std::byte{8});
    EXPECT_EQ(seen, expected);
  }
}

TEST(Shipper, AdjoiningWritesAreOneEntryOfOneMessage) {
  Observer observer;
  Ranks ranks(2, {.observer = &observer});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ranks.shippers[0].write(1, 1000 + 10 * i, filled(10, i)));
  }
  EXPECT_EQ(observer.counters.get(Counter::kMessages), 0);
  EXPECT_EQ(observer.counters.get(Counter::kBytesCopied), 1000);
  ranks.start();
  ASSERT_TRUE(ranks.shippers[0].settle());
  EXPECT_EQ(ranks.pages[1].applied, 1);
  EXPECT_EQ(ranks.pages[1].bytes()[1999], std::byte{99});
  // The buffer, the question whether it is there, and the answer.
  EXPECT_EQ(observer.counters.get(Counter::kMessages), 3);
}

// 256-byte sub-buffers: one under way and one full is all that may wait for an owner who sleeps.
TEST(Shipper, BuffersOneWhileTheOtherIsUnderWay) {
  Ranks ranks(2, {.subbuffer_bytes = 256});
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, filled(256, 1)));
  ASSERT_TRUE(ranks.shippers[0].write(1, 512, filled(200, 2)));
  std::thread waits([&] { ASSERT_TRUE(ranks.shippers[0].write(1, 4096, filled(256, 3))); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(ranks.post.of(1).waiting_bytes(Channel::kRequests), 2 * (256 + 64));
  ranks.start();
  waits.join();
  ASSERT_TRUE(ranks.shippers[0].settle());
  EXPECT_EQ(ranks.pages[1].bytes()[0], std::byte{1});
  EXPECT_EQ(ranks.pages[1].bytes()[711], std::byte{2});
  EXPECT_EQ(ranks.pages[1].bytes()[4351], std::byte{3});
}

TEST(Shipper, LargeWritesAndReadsAreCutAndBounded) {
  constexpr int64_t kBytes = 11 * 1000 * 1000;
  Ranks ranks(2, {}, kBytes);
  std::mt19937 random(1);
  const auto data = random_bytes(random, kBytes);
  std::thread writer([&] {
    ASSERT_TRUE(ranks.shippers[0].write(1, 3, filled(10, 1)));  // overwritten by the large one
    ASSERT_TRUE(ranks.shippers[0].write(1, 0, data));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(ranks.post.of(1).waiting_bytes(Channel::kRequests), 5 << 20);
  ranks.start();
  writer.join();
  EXPECT_EQ(ranks.read(0, 1, {{0, 5'000'000}, {5'000'000, kBytes}}, 5'000'000 + kBytes), data);
  EXPECT_EQ(ranks.pages[1].bytes(), data);
}

TEST(Shipper, AReadEndsWithTheFile) {
  Ranks ranks(2, {}, 3 << 20);
  ranks.start();
  EXPECT_EQ(ranks.read(0, 1, {{(3 << 20) - 5, 10}, {4 << 20, 7}}, 17).size(), 5U);
  EXPECT_EQ(ranks.read(0, 1, {{1 << 20, 8 << 20}}, 8 << 20).size(), 2U << 20);
  EXPECT_EQ(ranks.read(0, 1, {{5 << 20, 10}}, 10).size(), 0U);
  EXPECT_EQ(ranks.read(0, 1, {}, 0).size(), 0U);
}

TEST(Shipper, ManyPiecesAreCutToo) {
  Ranks ranks(2, {}, 1 << 20);
  ranks.start();
  std::mt19937 random(2);
  const auto data = random_bytes(random, 1 << 20);
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, data));
  std::vector<Piece> pieces;
  std::vector<std::byte> expected;
  for (int64_t at = 0; at < 1 << 20; at += 16) {
    pieces.push_back({at, 3});
    expected.insert(expected.end(), data.begin() + at, data.begin() + at + 3);
  }
  EXPECT_EQ(ranks.read(0, 1, pieces, static_cast<int64_t>(expected.size())), expected);
}

TEST(Shipper, SettleTellsTheOwnersFirstErrorOnce) {
  Ranks ranks(3);
  ranks.start();
  ranks.pages[2].set_failure(Error{ErrorClass::kNoSpace, 28, "disk full"});
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, filled(10, 1)));
  ASSERT_TRUE(ranks.shippers[0].write(2, 0, filled(10, 1)));
  ASSERT_TRUE(ranks.shippers[1].settle());  // its own data only
  const auto status = ranks.shippers[0].settle();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorClass::kNoSpace);
  EXPECT_EQ(status.error().sys_errno, 28);
  EXPECT_EQ(status.error().detail, "disk full");
  EXPECT_TRUE(ranks.shippers[0].settle());
  EXPECT_EQ(ranks.pages[1].bytes()[0], std::byte{1});

  std::vector<std::byte> packed(10);
  const std::vector<Piece> pieces{{0, 10}};
  const auto outcome = ranks.shippers[0].read(2, pieces, packed);
  EXPECT_EQ(outcome.error.code, ErrorClass::kNoSpace);
  EXPECT_EQ(outcome.bytes, 0);
}

TEST(Shipper, AnErrorsLongTextIsCut) {
  Ranks ranks(2);
  ranks.start();
  ranks.pages[1].set_failure(Error{ErrorClass::kIo, 5, std::string(10000, 'x')});
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, filled(10, 1)));
  const auto status = ranks.shippers[0].settle();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().detail, std::string(ship::kMaxDetail, 'x'));
}

TEST(Shipper, WhatCannotBeSentIsAnErrorNotAHang) {
  Ranks ranks(2);
  ranks.start();
  EXPECT_EQ(ranks.shippers[0].write(2, 0, filled(1, 1)).error().code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(ranks.shippers[0].write(-1, 0, filled(1, 1)).error().code,
            ErrorClass::kInvalidArgument);
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, filled(10, 1)));
  ranks.post.of(0).failing = true;
  std::vector<std::byte> packed(10);
  const std::vector<Piece> pieces{{0, 10}};
  EXPECT_FALSE(ranks.shippers[0].read(1, pieces, packed).ok());
  EXPECT_FALSE(ranks.shippers[0].settle());
}

// Two ranks that read from each other while both write: whoever waits must not stop its agent.
TEST(Shipper, RanksThatReadFromEachOtherDoNotDeadlock) {
  constexpr int kRanks = 4;
  Ranks ranks(kRanks, {.subbuffer_bytes = 128}, 8 << 20);
  ranks.start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2 * kRanks; ++t) {
    threads.emplace_back([&ranks, t] {
      auto& shipper = ranks.shippers[static_cast<size_t>(t % kRanks)];
      std::vector<std::byte> packed(6 << 20);
      const std::vector<Piece> pieces{{0, 6 << 20}};
      for (int i = 0; i < 4; ++i) {
        const int owner = (t + 1 + i) % kRanks;
        ASSERT_TRUE(shipper.write(owner, 100 * t, filled(100, t)));
        ASSERT_TRUE(shipper.read(owner, pieces, packed).ok());
        ASSERT_TRUE(shipper.settle());
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

// Each thread of a rank has bytes of its own: whatever the others do, it sees what it wrote.
void write_and_read_at_random(Ranks& ranks, int rank, int thread, std::vector<std::byte>& model) {
  std::mt19937 random(static_cast<unsigned>(100 * rank + thread));
  auto& shipper = ranks.shippers[static_cast<size_t>(rank)];
  const auto owners = static_cast<unsigned>(ranks.shippers.size());
  const auto bytes = static_cast<int64_t>(model.size() / owners);
  const int64_t base = (rank * 2 + thread) * bytes;  // of the file; the same in every owner's pages
  for (int step = 0; step < 400; ++step) {
    const auto owner = static_cast<int>(random() % owners);
    const auto at = static_cast<int64_t>(random()) % bytes;
    const int64_t most = std::min(bytes - at, int64_t{1} << (random() % 12));
    const int64_t length = 1 + static_cast<int64_t>(random()) % most;
    auto* const mine = model.data() + owner * bytes + at;
    if (random() % 3 != 0) {
      const auto data = random_bytes(random, length);
      std::memcpy(mine, data.data(), data.size());
      ASSERT_TRUE(shipper.write(owner, base + at, data));
    } else {
      const std::vector<std::byte> expected(mine, mine + length);
      const int64_t half = length / 2;
      const std::vector<Piece> pieces{{base + at, half}, {base + at + half, length - half}};
      ASSERT_EQ(ranks.read(rank, owner, pieces, length), expected);
    }
    if (random() % 50 == 0) {
      ASSERT_TRUE(shipper.settle());
    }
  }
  ASSERT_TRUE(shipper.settle());
}

class RandomAccess : public testing::TestWithParam<ShipOptions> {};

TEST_P(RandomAccess, EqualsAMapOfBytes) {
  constexpr int kRanks = 3;
  constexpr int64_t kBytes = 4096;
  Ranks ranks(kRanks, GetParam(), 2 * kRanks * kBytes);
  ranks.start();
  std::vector<std::vector<std::byte>> models(2 * kRanks, std::vector<std::byte>(kRanks * kBytes));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2 * kRanks; ++i) {
    threads.emplace_back(
        [&, i] { write_and_read_at_random(ranks, i / 2, i % 2, models[static_cast<size_t>(i)]); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ranks.stop();
  for (int owner = 0; owner < kRanks; ++owner) {
    std::vector<std::byte> expected;
    for (const auto& model : models) {
      expected.insert(expected.end(), model.begin() + owner * kBytes,
                      model.begin() + (owner + 1) * kBytes);
    }
    EXPECT_EQ(ranks.pages[static_cast<size_t>(owner)].bytes(), expected) << "owner " << owner;
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, RandomAccess,
                         testing::Values(ShipOptions{.two_stage = false},
                                         ShipOptions{.subbuffer_bytes = 1},
                                         ShipOptions{.subbuffer_bytes = 200}, ShipOptions{}));

// A host's agent is asked to write out: what was written to it before goes first.
TEST(Shipper, ExpelsAtTheOwnersAskedAfterWhatWasWritten) {
  Ranks ranks(3);
  ranks.start();
  ASSERT_TRUE(ranks.shippers[0].write(1, 10, filled(5, 7)));
  const std::vector<int> owners{1, 2};
  ASSERT_TRUE(ranks.shippers[0].expel(owners, {0, 100}));
  ranks.stop();
  EXPECT_EQ(ranks.pages[1].applied, 1);
  EXPECT_EQ(ranks.pages[1].expelled, std::vector<Extent>({{0, 100}}));
  EXPECT_EQ(ranks.pages[2].expelled, std::vector<Extent>({{0, 100}}));
  EXPECT_TRUE(ranks.pages[0].expelled.empty());
}

TEST(Shipper, AnOwnerThatCannotWriteOutSaysSo) {
  Ranks ranks(3);
  ranks.pages[2].set_failure(Error{ErrorClass::kNoSpace, 28, "full"});
  ranks.start();
  const std::vector<int> owners{1, 2};
  const auto status = ranks.shippers[0].expel(owners, {0, 100});
  ranks.stop();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorClass::kNoSpace);
  EXPECT_EQ(ranks.pages[1].expelled.size(), 1U);
}

}  // namespace
}  // namespace longshore
