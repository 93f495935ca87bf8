// independent/remote_reads.h - the pieces of one read that lie in pages of other nodes.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "agent/shipper.h"
#include "core/result.h"
#include "storage/storage.h"

namespace longshore {

// Pieces are gathered, so that an owner gets one request for many of them.
class RemoteReads {
 public:
  static constexpr int64_t kComplete = std::numeric_limits<int64_t>::max();

  // `known_end`: the file is at least so long, whatever an owner knows of it.
  RemoteReads(Shipper& shipper, int64_t known_end) : shipper_(shipper), known_end_(known_end) {}

  // The piece's memory is filled by some later call of fetch(), or by this one.
  [[nodiscard]] Status add(int owner, const IoPiece& piece);
  [[nodiscard]] Status fetch();
  // True if nothing is left to fetch.
  [[nodiscard]] bool idle() const { return wanted_.empty(); }
  // The first byte of the file that a piece asked for and the file does not have.
  [[nodiscard]] int64_t end() const { return end_; }

 private:
  [[nodiscard]] Status fetch_from(int owner, std::vector<IoPiece>& pieces);
  void deliver(const IoPiece& piece, const std::byte* packed, int64_t there);

  Shipper& shipper_;
  int64_t known_end_;
  int64_t end_ = kComplete;
  int64_t gathered_bytes_ = 0;
  std::map<int, std::vector<IoPiece>> wanted_;
};

}  // namespace longshore
