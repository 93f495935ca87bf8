// Messages whose bytes lie in several places.
#include <gmock/gmock.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "with_communicator.h"

namespace longshore {
namespace {

constexpr int kTag = 3;

std::vector<std::byte> numbered(size_t bytes, int from) {
  std::vector<std::byte> made(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    made[i] = static_cast<std::byte>((static_cast<size_t>(from) * 31 + i * 7) & 0xff);
  }
  return made;
}

// Every rank sends to the right and receives from the left.
class PieceMessages : public WithCommunicator<> {
 protected:
  [[nodiscard]] int right() const { return (comm_->rank() + 1) % comm_->size(); }
  [[nodiscard]] int left() const { return (comm_->rank() + comm_->size() - 1) % comm_->size(); }
};

// Sent from bytes 10..40, none, and 0..5 of one memory; received as 20 bytes and 15 behind a gap.
TEST_F(PieceMessages, ArriveInThePiecesOfTheReceiver) {
  const auto source = numbered(64, comm_->rank());
  const std::span<const std::byte> all(source);
  const std::vector<std::span<const std::byte>> sent{all.subspan(10, 30), all.first(0),
                                                     all.first(5)};
  std::vector<std::byte> target(50, std::byte{0xee});
  const std::span<std::byte> space(target);
  const std::vector<std::span<std::byte>> wanted{space.subspan(30, 20), space.first(15)};
  auto set = comm_->messages();
  const int index = set->receive_pieces(wanted, left(), kTag);
  set->send_pieces(sent, right(), kTag);
  ASSERT_TRUE(set->wait());
  EXPECT_EQ(set->received(index), 35);
  EXPECT_EQ(set->sender(index), left());

  const auto theirs = numbered(64, left());
  // The stream is 10..40, 0..5: its first 20 bytes, then the 15 others.
  std::vector<std::byte> expected(50, std::byte{0xee});
  std::copy_n(theirs.begin() + 10, 20, expected.begin() + 30);
  std::copy_n(theirs.begin() + 30, 10, expected.begin());
  std::copy_n(theirs.begin(), 5, expected.begin() + 10);
  EXPECT_EQ(target, expected);
}

TEST_F(PieceMessages, MeetPlainOnesOfTheSameBytes) {
  const auto source = numbered(3'000'000, comm_->rank());
  const std::span<const std::byte> all(source);
  std::vector<std::byte> target(source.size());
  auto set = comm_->messages();
  set->receive(target, left(), kTag);
  const std::vector<std::span<const std::byte>> halves{all.first(1'000'000),
                                                       all.subspan(1'000'000)};
  set->send_pieces(halves, right(), kTag);
  ASSERT_TRUE(set->wait());
  EXPECT_EQ(target, numbered(source.size(), left()));
}

TEST_F(PieceMessages, MayBeShorterThanTheReceiversPieces) {
  const auto source = numbered(8, comm_->rank());
  std::vector<std::byte> target(16, std::byte{0xee});
  const std::span<std::byte> space(target);
  const std::vector<std::span<std::byte>> wanted{space.subspan(12, 4), space.first(12)};
  auto set = comm_->messages();
  const int index = set->receive_pieces(wanted, MessageSet::kAnyRank, kTag);
  set->send(source, right(), kTag);
  ASSERT_TRUE(set->wait());
  EXPECT_EQ(set->received(index), 8);
  const auto theirs = numbered(8, left());
  EXPECT_TRUE(std::equal(theirs.begin(), theirs.begin() + 4, target.begin() + 12));
  EXPECT_TRUE(std::equal(theirs.begin() + 4, theirs.end(), target.begin()));
  EXPECT_EQ(target[4], std::byte{0xee});
}

}  // namespace
}  // namespace longshore
