// Whatever bytes arrive, a message is served or refused.
#include <gmock/gmock.h>

#include <climits>
#include <cstring>
#include <random>
#include <vector>

#include "agent/ship_wire.h"
#include "unit/ship_ranks.h"

namespace longshore {
namespace {

// Malformed messages, sent to rank 1 as if by rank 0.
class Malformed : public testing::Test {
 protected:
  void send(ship::Header header, std::span<const std::byte> body) {
    header.session = 1;
    auto parcel = ship::make_parcel(header, ship::kHeaderBytes + static_cast<int64_t>(body.size()));
    std::copy(body.begin(), body.end(), parcel->bytes.begin() + ship::kHeaderBytes);
    ASSERT_TRUE(ranks_.post.of(0).post(Channel::kRequests, 1, parcel));
  }
  void send_pieces(ship::Header header, std::vector<Piece> pieces) {
    send(header, std::as_bytes(std::span(pieces)));
  }
  // The answer to the last request with that id.
  Error answer(int64_t id) {
    while (ranks_.shippers[1].poll()) {
    }
    Error error{ErrorClass::kOther, 0, "no answer"};
    while (*ranks_.post.of(0).poll(Channel::kReplies, [&](int, std::span<const std::byte> bytes) {
      const auto header = ship::header_of(bytes);
      ASSERT_TRUE(header);
      const auto reply = ship::read_reply(*header, bytes);
      ASSERT_TRUE(reply);
      if (header->id == id) {
        error = reply->error;
      }
    })) {
    }
    return error;
  }
  Error settle() {
    send({.id = 99, .kind = ship::Kind::kSettle}, {});
    return answer(99);
  }
  Ranks ranks_{2};
};

TEST_F(Malformed, Reads) {
  const auto refused = [&](ship::Header header, const std::vector<Piece>& pieces) {
    header.kind = ship::Kind::kRead;
    header.id = 5;
    send_pieces(header, pieces);
    return answer(5).code == ErrorClass::kIntern;
  };
  EXPECT_TRUE(refused({.bytes = 10, .count = 2}, {{0, 10}}));
  EXPECT_TRUE(refused({.bytes = 10, .count = -1}, {{0, 10}}));
  EXPECT_TRUE(refused({.bytes = 10, .count = 1 << 30}, {{0, 10}}));
  EXPECT_TRUE(refused({.bytes = 11, .count = 1}, {{0, 10}}));
  EXPECT_TRUE(refused({.bytes = -10, .count = 1}, {{0, -10}}));
  EXPECT_TRUE(refused({.bytes = 10, .count = 1}, {{-1, 10}}));
  EXPECT_TRUE(refused({.bytes = 10, .count = 1}, {{INT64_MAX - 3, 10}}));
  EXPECT_TRUE(refused({.bytes = 2 << 20, .count = 1}, {{0, 2 << 20}}));
  EXPECT_TRUE(refused({.bytes = 0, .count = 2}, {{0, INT64_MAX}, {0, INT64_MAX}}));
  EXPECT_FALSE(refused({.bytes = 10, .count = 1}, {{0, 10}}));
}

TEST_F(Malformed, Expulsions) {
  const auto refused = [&](const std::vector<Piece>& pieces) {
    send_pieces({.id = 6, .kind = ship::Kind::kExpel}, pieces);
    return answer(6).code == ErrorClass::kIntern;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{0, 1}, {2, 1}}));
  EXPECT_TRUE(refused({{-1, 10}}));
  EXPECT_TRUE(refused({{0, -1}}));
  EXPECT_TRUE(refused({{INT64_MAX - 3, 10}}));
  EXPECT_TRUE(ranks_.pages[1].expelled.empty());
  EXPECT_FALSE(refused({{0, INT64_MAX}}));
}

TEST_F(Malformed, WritesAreTheSendersErrorAtItsNextSettle) {
  EXPECT_EQ(settle().code, ErrorClass::kOk);
  for (const Piece& entry : {Piece{0, 17}, Piece{0, -1}, Piece{-1, 16}, Piece{0, INT64_MAX}}) {
    std::vector<Piece> body{entry, {1, 1}};
    send_pieces({.kind = ship::Kind::kWrite}, body);
    EXPECT_EQ(settle().code, ErrorClass::kIntern);
  }
  send({.kind = ship::Kind::kWrite}, filled(3, 1));
  EXPECT_EQ(settle().code, ErrorClass::kIntern);
  EXPECT_EQ(settle().code, ErrorClass::kOk);
  EXPECT_EQ(ranks_.pages[1].applied, 0);
}

TEST_F(Malformed, UnknownKindsAndStubs) {
  send({.id = 7, .kind = static_cast<ship::Kind>(1234)}, {});
  EXPECT_EQ(answer(7).code, ErrorClass::kIntern);
  auto stub = ship::make_parcel({}, ship::kHeaderBytes);
  stub->bytes = stub->bytes.first(3);
  ASSERT_TRUE(ranks_.post.of(0).post(Channel::kRequests, 1, stub));
  EXPECT_EQ(settle().code, ErrorClass::kIntern);
}

TEST_F(Malformed, RandomBytesDoNoHarm) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto body = random_bytes(random, static_cast<int64_t>(random() % 100));
    send({.id = 1,
          .bytes = static_cast<int64_t>(random() % 64),
          .kind = static_cast<ship::Kind>(random() % 5),
          .count = static_cast<int32_t>(random() % 6)},
         body);
    (void)answer(1);
  }
}

// What a failed file left in the mailbox is not the next file's.
TEST(Shipper, MessagesOfAnEarlierFileAreDropped) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.shippers[0].write(1, 0, filled(64 << 10, 1)));
  EXPECT_GT(ranks.post.of(1).waiting_bytes(Channel::kRequests), 0);
  Shipper second(ranks.post.of(1), ranks.pages[1], {});
  while (second.poll()) {
  }
  EXPECT_EQ(ranks.post.of(1).waiting_bytes(Channel::kRequests), 0);
  EXPECT_EQ(ranks.pages[1].applied, 0);
}

TEST(Shipper, MalformedRepliesEndTheCallWithAnError) {
  Ranks ranks(2);
  std::vector<std::byte> packed(10);
  const std::vector<Piece> pieces{{0, 10}};
  Outcome outcome;
  std::thread reader([&] { outcome = ranks.shippers[0].read(1, pieces, packed); });
  int64_t id = 0;
  while (id == 0) {
    (void)ranks.post.of(1).poll(Channel::kRequests, [&](int, std::span<const std::byte> message) {
      id = ship::header_of(message)->id;
    });
  }
  auto stub = ship::make_parcel({}, ship::kHeaderBytes);
  stub->bytes = stub->bytes.first(1);
  ASSERT_TRUE(ranks.post.of(1).post(Channel::kReplies, 0, stub));
  auto reply = ship::make_reply(11);
  ship::finish_reply(*reply, {.session = 1, .id = id}, {11, {}});
  ASSERT_TRUE(ranks.post.of(1).post(Channel::kReplies, 0, reply));
  reader.join();
  EXPECT_EQ(outcome.error.code, ErrorClass::kIntern);
}

}  // namespace
}  // namespace longshore
