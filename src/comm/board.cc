#include "comm/board.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "comm/signal.h"

namespace longshore {

struct Board::Head {
  std::atomic<uint64_t> arrived{0};  // over all steps
  Signal all_there;
};

namespace {
constexpr size_t kHeadBytes = 64;
}  // namespace

size_t Board::bytes_for(int size) {
  return kHeadBytes + 2 * static_cast<size_t>(size) * (kBoxBytes + sizeof(uint64_t));
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

void Board::step(std::span<const std::byte> mine,
                 const std::function<void(int rank, std::span<const std::byte>)>& read) {
  std::byte* own = box(rank_, steps_);
  std::copy(mine.begin(), mine.end(), own + sizeof(uint64_t));
  *reinterpret_cast<uint64_t*>(own) = mine.size();
  const uint64_t complete = (steps_ + 1) * static_cast<uint64_t>(size_);
  auto& arrived = head().arrived;
  if (arrived.fetch_add(1) + 1 == complete) {
    head().all_there.raise();
  } else {
    head().all_there.wait([&] { return arrived.load() >= complete; }, meanwhile_);
  }
  for (int rank = 0; rank < size_; ++rank) {
    const std::byte* at = box(rank, steps_);
    read(rank, {at + sizeof(uint64_t), *reinterpret_cast<const uint64_t*>(at)});
  }
  ++steps_;
}

}  // namespace longshore
