#include "comm/board.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "comm/signal.h"

namespace longshore {

struct Board::Head {
  std::atomic<uint64_t> arrived{0};   // over all steps
  std::atomic<uint64_t> answered{0};  // the number of the last step with an answer, and one
  Signal news;                        // of both
};

namespace {
constexpr size_t kHeadBytes = 64;
}  // namespace

size_t Board::bytes_for(int size) {
  const size_t boxes = static_cast<size_t>(size) + 1;  // and the answer's
  return kHeadBytes + 2 * boxes * (kBoxBytes + sizeof(uint64_t));
}

Result<std::unique_ptr<Board>> Board::make(Communicator& comm, std::function<void()> meanwhile) {
  auto segment = share_segment(comm, bytes_for(comm.size()));
  if (!segment) {
    return fail(segment.error());
  }
  if (segment->memory().empty()) {
    return nullptr;
  }
  return std::unique_ptr<Board>(
      new Board(std::move(*segment), comm.rank(), comm.size(), std::move(meanwhile)));
}

Board::Board(SharedSegment segment, int rank, int size, std::function<void()> meanwhile)
    : segment_(std::move(segment)), rank_(rank), size_(size), meanwhile_(std::move(meanwhile)) {
  static_assert(sizeof(Head) <= kHeadBytes);
}

Board::Head& Board::head() const { return *reinterpret_cast<Head*>(segment_.memory().data()); }

std::byte* Board::box(int rank, uint64_t step) const {
  const size_t index = 2 * static_cast<size_t>(rank) + step % 2;
  return segment_.memory().data() + kHeadBytes + index * (kBoxBytes + sizeof(uint64_t));
}

void Board::put(int rank, std::span<const std::byte> bytes) {
  std::byte* at = box(rank, steps_);
  std::copy(bytes.begin(), bytes.end(), at + sizeof(uint64_t));
  *reinterpret_cast<uint64_t*>(at) = bytes.size();
}

bool Board::arrive() { return head().arrived.fetch_add(1) + 1 == arrivals(); }

void Board::wait_for(const std::atomic<uint64_t>& count, uint64_t least) {
  head().news.wait([&] { return count.load() >= least; }, meanwhile_);
}

void Board::take(int rank, const Reader& read) const {
  const std::byte* at = box(rank, steps_);
  read(rank, {at + sizeof(uint64_t), *reinterpret_cast<const uint64_t*>(at)});
}

void Board::step(std::span<const std::byte> mine, const Reader& read) {
  put(rank_, mine);
  if (arrive()) {
    head().news.raise();
  } else {
    wait_for(head().arrived, arrivals());
  }
  for (int rank = 0; rank < size_; ++rank) {
    take(rank, read);
  }
  ++steps_;
}

void Board::step_of_last(std::span<const std::byte> mine, const Reader& read,
                         const std::function<std::span<const std::byte>()>& answer) {
  put(rank_, mine);
  if (arrive()) {
    for (int rank = 0; rank < size_; ++rank) {
      take(rank, read);
    }
    put(size_, answer());
    head().answered.store(steps_ + 1);
    head().news.raise();
  } else {
    wait_for(head().answered, steps_ + 1);
    take(size_, read);
  }
  ++steps_;
}

}  // namespace longshore
