// A mailbox whose ranks are threads of one process.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "comm/mailbox.h"

namespace longshore {

class FakeMailbox;

// Where the messages lie that nobody has taken yet.
class FakePost {
 public:
  explicit FakePost(int ranks);
  FakeMailbox& of(int rank) { return *boxes_[static_cast<size_t>(rank)]; }
  [[nodiscard]] int ranks() const { return static_cast<int>(boxes_.size()); }

 private:
  std::vector<std::unique_ptr<FakeMailbox>> boxes_;
};

class FakeMailbox final : public Mailbox {
 public:
  FakeMailbox(FakePost& post, int rank) : post_(post), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return post_.ranks(); }

  Status post(Channel channel, int to, std::shared_ptr<Parcel> parcel) override {
    if (failing) {
      return fail(ErrorClass::kIntern, "the post is on strike");
    }
    parcel->under_way = true;
    post_.of(to).arrive(channel, {rank_, std::move(parcel)});
    return {};
  }

  Result<bool> poll(Channel channel, const Handler& handler) override {
    auto& slot = slots_[static_cast<size_t>(channel)];
    const std::unique_lock taking(slot.taking, std::try_to_lock);
    if (!taking) {
      return false;
    }
    Letter letter;
    {
      const std::lock_guard lock(slot.mutex);
      if (slot.letters.empty()) {
        return false;
      }
      letter = std::move(slot.letters.front());
      slot.letters.pop_front();
    }
    handler(letter.from, letter.parcel->bytes);
    letter.parcel->under_way = false;
    return true;
  }

  Result<bool> progress() override { return false; }

  // Bytes of all that waits here.
  int64_t waiting_bytes(Channel channel) {
    auto& slot = slots_[static_cast<size_t>(channel)];
    const std::lock_guard lock(slot.mutex);
    int64_t bytes = 0;
    for (const auto& letter : slot.letters) {
      bytes += static_cast<int64_t>(letter.parcel->bytes.size());
    }
    return bytes;
  }

  std::atomic<bool> failing{false};

 private:
  struct Letter {
    int from = 0;
    std::shared_ptr<Parcel> parcel;
  };
  struct Slot {
    std::mutex taking;
    std::mutex mutex;
    std::deque<Letter> letters;
  };
  void arrive(Channel channel, Letter letter) {
    auto& slot = slots_[static_cast<size_t>(channel)];
    const std::lock_guard lock(slot.mutex);
    slot.letters.push_back(std::move(letter));
  }

  FakePost& post_;
  int rank_;
  std::array<Slot, kChannels> slots_;
};

inline FakePost::FakePost(int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    boxes_.push_back(std::make_unique<FakeMailbox>(*this, rank));
  }
}

}  // namespace longshore
