// two_sided: one message per rank and section, packed; see two_phase.h.
#include <array>
#include <utility>

#include "collective/exchange.h"
#include "collective/tags.h"

namespace longshore {

namespace {

class MessageExchange final : public Exchange {
 public:
  explicit MessageExchange(const ExchangeParts& parts) : with_(parts), plan_(parts.plan) {}

  void begin_fill(Cycle& cycle) override;
  bool filled(Cycle& cycle) override { return complete(cycle); }
  Status finish_fill(Cycle& cycle) override;
  void release(Cycle&) override {}

  void reserve(Cycle&) override {}
  void begin_deliver(Cycle& cycle) override;
  bool delivered(Cycle& cycle) override { return complete(cycle); }
  Result<int64_t> finish_deliver(Cycle& cycle) override;
  Status close(const Status& mine) override { return agree(with_.comm, mine); }

 private:
  // One of our own messages; `bytes` is in the program's memory if that is contiguous.
  struct Message {
    const Outgoing* own;
    std::span<std::byte> bytes;
    int receive = -1;
  };
  struct Slot {
    std::unique_ptr<MessageSet> set;
    std::vector<Message> messages;
  };

  [[nodiscard]] Slot& slot(const Cycle& cycle) { return slots_[static_cast<size_t>(cycle.slot)]; }
  [[nodiscard]] bool complete(const Cycle& cycle);
  [[nodiscard]] std::vector<Message> messages_in(Cycle& cycle);
  void choose_landings(Cycle& cycle);
  [[nodiscard]] bool by_message(int rank) const {
    return rank != plan_.rank && with_.reach.holds(rank);
  }
  // True if the aggregator puts our part in place itself.
  [[nodiscard]] bool own_part(int rank) const {
    return rank == plan_.rank && with_.reach.holds(rank);
  }
  [[nodiscard]] int64_t take_own(const Cycle& cycle) const;
  void copied(int64_t bytes) const { with_.workspace.observer.count(Counter::kBytesCopied, bytes); }

  ExchangeParts with_;
  const CallPlan& plan_;
  std::array<Slot, kMostSlots> slots_;
};

bool MessageExchange::complete(const Cycle& cycle) {
  const auto done = slot(cycle).set->test();
  return !done || *done;
}

// Our messages of a cycle, each with its place: in the program's memory if that is contiguous,
// otherwise in the outgoing buffer.
std::vector<MessageExchange::Message> MessageExchange::messages_in(Cycle& cycle) {
  std::vector<Message> messages;
  int64_t total = 0;
  for (const auto& own : cycle.outgoing) {
    if (by_message(own.rank) && !own.gathered && !own.positions.empty()) {
      messages.push_back({&own, {}, -1});
      total += own.positions.length();
    }
  }
  const bool direct = plan_.mine.memory.contiguous();
  auto& buffer = with_.workspace.outgoing[static_cast<size_t>(cycle.slot)];
  auto space = direct ? std::span<std::byte>() : buffer.take(total);
  for (auto& message : messages) {
    const auto length = static_cast<size_t>(message.own->positions.length());
    message.bytes = direct ? plan_.memory_at(message.own->positions) : space.first(length);
    space = direct ? space : space.subspan(length);
  }
  return messages;
}

// A part's message lands in the window where the part is contiguous and no other part comes near
// (never if the order of ranks matters), otherwise beside it.
void MessageExchange::choose_landings(Cycle& cycle) {
  int64_t beside = 0;
  std::vector<Part*> outside;
  for (auto& window : cycle.windows) {
    const auto apart = window.parts_apart();
    for (size_t i = 0; i < window.parts().size(); ++i) {
      Part& part = window.parts()[i];
      if (!by_message(part.rank)) {
        continue;
      }
      if (apart[i] && part.contiguous() && !plan_.strategy.in_rank_order) {
        part.packed = window.bytes_of(part);
      } else {
        outside.push_back(&part);
        beside += part.positions.length();
      }
    }
  }
  auto space = with_.workspace.incoming[static_cast<size_t>(cycle.slot)].take(beside);
  for (Part* part : outside) {
    const auto length = static_cast<size_t>(part->positions.length());
    part->packed = space.first(length);
    space = space.subspan(length);
  }
}

void MessageExchange::begin_fill(Cycle& cycle) {
  Slot& now = slot(cycle);
  now.set = with_.comm.messages();
  choose_landings(cycle);
  for (auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (by_message(part.rank) && !part.gathered) {
        now.set->receive(part.packed, part.rank, kDataTag);
      }
    }
  }
  const auto& memory = plan_.mine.memory;
  for (const auto& message : messages_in(cycle)) {
    if (!memory.contiguous()) {
      memory.pack(message.own->positions.begin - plan_.mine.first, message.bytes, plan_.mine.base);
      copied(message.own->positions.length());
    }
    with_.workspace.observer.count(Counter::kMessages, 1);
    now.set->send(message.bytes, message.own->rank, kDataTag);
  }
}

// Parts go in place in rank order, so that of overlapping writes the highest rank's stays
// everywhere.
Status MessageExchange::finish_fill(Cycle& cycle) {
  if (auto status = with_.wait_for(*slot(cycle).set, cycle); !status) {
    return status;
  }
  for (auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (own_part(part.rank)) {
        const Section section{window.extent(), 0};
        place(plan_, {plan_.my_index, part.rank, section, part.positions}, window.base());
        copied(part.positions.length());
      } else if (by_message(part.rank)) {
        copied(window.scatter(part) ? part.positions.length() : 0);
      }
    }
  }
  return {};
}

void MessageExchange::begin_deliver(Cycle& cycle) {
  Slot& now = slot(cycle);
  now.set = with_.comm.messages();
  now.messages = messages_in(cycle);
  for (auto& message : now.messages) {
    message.receive = now.set->receive(message.bytes, message.own->rank, kDataTag);
  }
  choose_landings(cycle);
  for (auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (by_message(part.rank)) {
        const int64_t bytes = plan_.bytes_before(part, cycle.valid_end);
        copied(window.gather(part, bytes) ? bytes : 0);
        if (part.gathered) {
          continue;
        }
        with_.workspace.observer.count(Counter::kMessages, 1);
        now.set->send(part.packed.first(static_cast<size_t>(bytes)), part.rank, kDataTag);
      }
    }
  }
}

int64_t MessageExchange::take_own(const Cycle& cycle) const {
  int64_t taken = 0;
  for (const auto& window : cycle.windows) {
    for (const auto& part : window.parts()) {
      if (own_part(part.rank)) {
        const int64_t bytes = plan_.bytes_before(part, cycle.valid_end);
        const Section section{window.extent(), 0};
        take(plan_, {plan_.my_index, part.rank, section, part.positions}, bytes, window.base());
        taken += bytes;
        copied(bytes);
      }
    }
  }
  return taken;
}

// A short message tells a reader where the file ends.
Result<int64_t> MessageExchange::finish_deliver(Cycle& cycle) {
  int64_t taken = take_own(cycle);
  Slot& now = slot(cycle);
  if (auto status = with_.wait_for(*now.set, cycle); !status) {
    return fail(status.error());
  }
  const auto& memory = plan_.mine.memory;
  for (const auto& message : now.messages) {
    const int64_t bytes = now.set->received(message.receive);
    if (!memory.contiguous()) {
      memory.unpack(message.own->positions.begin - plan_.mine.first,
                    message.bytes.first(static_cast<size_t>(bytes)), plan_.mine.base);
      copied(bytes);
    }
    taken += bytes;
  }
  return taken;
}

}  // namespace

std::unique_ptr<Exchange> make_message_exchange(const ExchangeParts& parts) {
  return std::make_unique<MessageExchange>(parts);
}

}  // namespace longshore
