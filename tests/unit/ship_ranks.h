// Ranks that ship to each other, as threads of one process.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <random>
#include <vector>

#include "agent/agent_thread.h"
#include "agent/shipper.h"
#include "unit/fake_mailbox.h"
#include "unit/memory_pages.h"

namespace longshore {

inline std::vector<std::byte> filled(int64_t bytes, int value) {
  return std::vector<std::byte>(static_cast<size_t>(bytes), static_cast<std::byte>(value));
}

inline std::vector<std::byte> random_bytes(std::mt19937& random, int64_t bytes) {
  std::vector<std::byte> made(static_cast<size_t>(bytes));
  for (auto& byte : made) {
    byte = static_cast<std::byte>(random() & 0xff);
  }
  return made;
}

// Some ranks of one process, each with pages of its own that hold a whole file.
class Ranks {
 public:
  explicit Ranks(int count, ShipOptions options = {}, int64_t file_bytes = 1 << 16) : post(count) {
    for (int rank = 0; rank < count; ++rank) {
      pages.emplace_back(file_bytes);
      shippers.emplace_back(post.of(rank), pages.back(), options);
    }
  }
  ~Ranks() { stop(); }

  void start() {
    for (auto& shipper : shippers) {
      EXPECT_TRUE(AgentThread::of_process().add(shipper));
    }
    running_ = true;
  }
  void stop() {
    for (auto& shipper : shippers) {
      if (running_) {
        AgentThread::of_process().remove(shipper);
      }
    }
    running_ = false;
  }
  std::vector<std::byte> read(int from, int owner, std::vector<Piece> pieces, int64_t bytes) {
    std::vector<std::byte> packed(static_cast<size_t>(bytes), std::byte{0xee});
    const auto outcome = shippers[static_cast<size_t>(from)].read(owner, pieces, packed);
    EXPECT_TRUE(outcome.ok()) << outcome.error.detail;
    packed.resize(static_cast<size_t>(outcome.bytes));
    return packed;
  }

  FakePost post;
  std::deque<MemoryPages> pages;
  std::deque<Shipper> shippers;

 private:
  bool running_ = false;
};

}  // namespace longshore
