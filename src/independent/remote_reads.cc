#include "independent/remote_reads.h"

#include <algorithm>
#include <cstring>

#include "core/raw_buffer.h"

namespace longshore {

namespace {
constexpr int64_t kGatherBytes = int64_t{1} << 20;
}  // namespace

Status RemoteReads::add(int owner, const IoPiece& piece) {
  wanted_[owner].push_back(piece);
  gathered_bytes_ += piece.length;
  return gathered_bytes_ >= kGatherBytes ? fetch() : Status{};
}

Status RemoteReads::fetch() {
  Status first;
  for (auto& [owner, pieces] : wanted_) {
    const Status status = fetch_from(owner, pieces);
    first = first ? status : first;
  }
  wanted_.clear();
  gathered_bytes_ = 0;
  return first;
}

Status RemoteReads::fetch_from(int owner, std::vector<IoPiece>& pieces) {
  static thread_local RawBuffer memory;
  std::vector<Piece> asked;
  int64_t bytes = 0;
  for (const auto& piece : pieces) {
    asked.push_back({piece.offset, piece.length});
    bytes += piece.length;
  }
  const auto packed = memory.take(bytes);
  const Outcome got = shipper_.read(owner, asked, packed);
  if (!got.ok()) {
    return fail(got.error);
  }
  int64_t at = 0;
  for (const auto& piece : pieces) {
    deliver(piece, packed.data() + at, std::clamp<int64_t>(got.bytes - at, 0, piece.length));
    at += piece.length;
  }
  return {};
}

// What the owner did not have is zero as far as the file goes on.
void RemoteReads::deliver(const IoPiece& piece, const std::byte* packed, int64_t there) {
  std::memcpy(piece.memory, packed, static_cast<size_t>(there));
  if (there < piece.length) {
    const int64_t known = std::clamp<int64_t>(known_end_ - piece.offset, there, piece.length);
    std::memset(piece.memory + there, 0, static_cast<size_t>(known - there));
    there = known;
  }
  if (there < piece.length) {
    end_ = std::min(end_, piece.offset + there);
  }
}

}  // namespace longshore
