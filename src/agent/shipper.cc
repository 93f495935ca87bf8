#include "agent/shipper.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "comm/patience.h"

namespace longshore {

namespace {

constexpr int64_t kSmallestSubbuffer = 64;
constexpr size_t kApartUnderWay = 16;             // messages to one owner
constexpr int64_t kApartUnderWayBytes = 4 << 20;  // of their data
constexpr size_t kReadsUnderWay = 4;              // of one call
constexpr int kMessagesPerPoll = 16;

int64_t length(std::span<const std::byte> bytes) { return static_cast<int64_t>(bytes.size()); }

}  // namespace

// Registered from its making to its end, so that no reply reaches memory that is gone.
class Shipper::Awaited {
 public:
  Awaited(Shipper& shipper, std::span<std::byte> into)
      : shipper_(shipper), id_(shipper.next_id_++), into_(into) {
    const std::lock_guard lock(shipper_.awaited_mutex_);
    shipper_.awaited_.emplace(id_, this);
    ++shipper_.awaited_count_;
  }
  ~Awaited() {
    const std::lock_guard lock(shipper_.awaited_mutex_);
    shipper_.awaited_.erase(id_);
    --shipper_.awaited_count_;
  }
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  [[nodiscard]] int64_t id() const { return id_; }
  [[nodiscard]] int64_t bytes_asked() const { return length(into_); }
  [[nodiscard]] bool done() const { return done_; }
  // REQUIRES: done.
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }

  // REQUIRES: awaited_mutex_ is locked.
  void complete(const Result<ship::Reply>& reply) {
    if (!reply) {
      outcome_ = {0, reply.error()};
    } else if (length(reply->data) > length(into_)) {
      outcome_ = {0, {ErrorClass::kIntern, 0, "malformed message: a reply too long"}};
    } else {
      std::copy(reply->data.begin(), reply->data.end(), into_.begin());
      outcome_ = {length(reply->data), reply->error};
    }
    done_ = true;
  }

 private:
  Shipper& shipper_;
  const int64_t id_;
  const std::span<std::byte> into_;
  Outcome outcome_;
  std::atomic<bool> done_{false};
};

Shipper::Shipper(Mailbox& mailbox, PageServer& pages, const ShipOptions& options)
    : mailbox_(mailbox),
      session_(++mailbox.sessions_past),
      options_(options),
      capacity_(ship::kHeaderBytes +
                std::clamp(options.subbuffer_bytes, kSmallestSubbuffer, ship::kMaxData)),
      observer_(options.observer != nullptr ? *options.observer : own_observer_),
      server_(mailbox, pages, session_, observer_) {}

Result<Shipper::Lane*> Shipper::lane_of(int owner) {
  if (owner < 0 || owner >= mailbox_.size()) {
    return fail(ErrorClass::kInvalidArgument, "no such owner");
  }
  const std::lock_guard lock(lanes_mutex_);
  return &lanes_.try_emplace(owner, owner).first->second;
}

Status Shipper::write(int owner, int64_t offset, std::span<const std::byte> data) {
  auto found = lane_of(owner);
  if (!found) {
    return fail(found.error());
  }
  Lane& lane = **found;
  const std::lock_guard lock(lane.mutex);
  lane.unsettled = true;
  observer_.count(Counter::kBytesCopied, length(data));
  if (options_.two_stage && length(data) <= options_.subbuffer_bytes) {
    return buffer(lane, offset, data);
  }
  if (auto status = flush(lane); !status) {
    return status;
  }
  return ship_apart(lane, offset, data);
}

// What does not fit is cut: full messages, and no room for rules about what fits.
Status Shipper::buffer(Lane& lane, int64_t offset, std::span<const std::byte> data) {
  while (!data.empty()) {
    if (auto status = open_buffer(lane); !status) {
      return status;
    }
    const int64_t taken = append(lane, offset, data);
    offset += taken;
    data = data.subspan(static_cast<size_t>(taken));
    if (lane.used + ship::kEntryBytes >= capacity_) {
      if (auto status = flush(lane); !status) {
        return status;
      }
    }
  }
  return {};
}

// Waits only if both buffers of the pair are under way.
Status Shipper::open_buffer(Lane& lane) {
  auto& parcel = lane.buffers[lane.filling];
  if (lane.used > 0) {
    return {};
  }
  if (!parcel) {
    parcel = ship::make_parcel({}, capacity_);
  } else if (auto status = wait_until([&] { return !parcel->under_way; }); !status) {
    return status;
  }
  parcel->bytes = parcel->memory.take(capacity_);
  lane.used = ship::kHeaderBytes;
  lane.entry_at = 0;
  return {};
}

// Returns how many bytes there was room for.
int64_t Shipper::append(Lane& lane, int64_t offset, std::span<const std::byte> data) {
  Parcel& parcel = *lane.buffers[lane.filling];
  if (lane.entry_at == 0 || lane.entry.offset + lane.entry.length != offset) {
    lane.entry_at = lane.used;
    lane.entry = {offset, 0};
    lane.used += ship::kEntryBytes;
  }
  const int64_t taken = std::min(length(data), capacity_ - lane.used);
  std::memcpy(parcel.bytes.data() + lane.used, data.data(), static_cast<size_t>(taken));
  lane.used += taken;
  lane.entry.length += taken;
  ship::put_entry(parcel, lane.entry_at, lane.entry);
  return taken;
}

Status Shipper::flush(Lane& lane) {
  if (lane.used == 0) {
    return {};
  }
  auto& parcel = lane.buffers[lane.filling];
  parcel->bytes = parcel->bytes.first(static_cast<size_t>(lane.used));
  ship::put_header(*parcel, {session_, 0, lane.used - ship::kHeaderBytes, ship::Kind::kWrite, 0});
  lane.used = 0;
  lane.filling = 1 - lane.filling;
  return post(lane.owner, parcel);
}

Status Shipper::ship_apart(Lane& lane, int64_t offset, std::span<const std::byte> data) {
  while (!data.empty()) {
    const auto part = data.first(std::min(data.size(), static_cast<size_t>(ship::kMaxData)));
    if (auto status = wait_for_room(lane, length(part)); !status) {
      return status;
    }
    const int64_t bytes = ship::kEntryBytes + length(part);
    auto parcel =
        ship::make_parcel({session_, 0, bytes, ship::Kind::kWrite, 0}, ship::kHeaderBytes + bytes);
    ship::put_entry(*parcel, ship::kHeaderBytes, {offset, length(part)});
    std::memcpy(parcel->bytes.data() + ship::kHeaderBytes + ship::kEntryBytes, part.data(),
                part.size());
    lane.apart.push_back(parcel);
    if (auto status = post(lane.owner, std::move(parcel)); !status) {
      return status;
    }
    offset += length(part);
    data = data.subspan(part.size());
  }
  return {};
}

Status Shipper::wait_for_room(Lane& lane, int64_t bytes) {
  return wait_until([&] {
    std::erase_if(lane.apart, [](const auto& parcel) { return !parcel->under_way; });
    int64_t under_way = 0;
    for (const auto& parcel : lane.apart) {
      under_way += length(parcel->bytes);
    }
    return lane.apart.empty() ||
           (lane.apart.size() < kApartUnderWay && under_way + bytes <= kApartUnderWayBytes);
  });
}

Status Shipper::post(int owner, std::shared_ptr<Parcel> parcel) {
  observer_.count(Counter::kMessages, 1);
  auto status = mailbox_.post(Channel::kRequests, owner, std::move(parcel));
  // A long message needs somebody in MPI to be moved on while the caller computes.
  AgentThread::of_process().nudge();
  return status;
}

Status Shipper::ask(int owner, ship::Header header, std::span<const Piece> pieces,
                    Awaited& awaited) {
  header.session = session_;
  header.id = awaited.id();
  header.bytes = awaited.bytes_asked();
  header.count = static_cast<int32_t>(pieces.size());
  auto parcel =
      ship::make_parcel(header, ship::kHeaderBytes + static_cast<int64_t>(pieces.size_bytes()));
  std::copy_n(std::as_bytes(pieces).begin(), pieces.size_bytes(),
              parcel->bytes.begin() + ship::kHeaderBytes);
  return post(owner, std::move(parcel));
}

Outcome Shipper::read(int owner, std::span<const Piece> pieces, std::span<std::byte> packed) {
  auto lane = lane_of(owner);
  if (!lane) {
    return {0, lane.error()};
  }
  {
    const std::lock_guard lock((*lane)->mutex);
    if (auto status = flush(**lane); !status) {
      return {0, status.error()};
    }
  }
  ship::ReadCutter cutter(pieces, packed);
  std::deque<Awaited> asked;
  Outcome total;
  bool ended = false;
  while (!asked.empty() || (cutter.more() && !ended)) {
    while (asked.size() < kReadsUnderWay && cutter.more() && !ended) {
      std::span<std::byte> into;
      const auto cut = cutter.next(into);
      auto& awaited = asked.emplace_back(*this, into);
      if (auto status = ask(owner, {.kind = ship::Kind::kRead}, cut, awaited); !status) {
        return {total.bytes, status.error()};
      }
    }
    const auto& first = asked.front();
    if (auto status = wait_until([&] { return first.done(); }); !status) {
      return {total.bytes, status.error()};
    }
    if (!ended) {
      total.bytes += first.outcome().bytes;
      total.error = first.outcome().error;
      ended = !total.ok() || first.outcome().bytes < first.bytes_asked();
    }
    asked.pop_front();
  }
  observer_.count(Counter::kBytesCopied, total.bytes);
  return total;
}

Status Shipper::settle() {
  const std::lock_guard one_at_a_time(settling_);
  std::vector<Lane*> lanes;
  {
    const std::lock_guard lock(lanes_mutex_);
    for (auto& [owner, lane] : lanes_) {
      lanes.push_back(&lane);
    }
  }
  Status first;
  std::deque<Awaited> asked;
  for (Lane* lane : lanes) {
    const Status status = ask_to_settle(*lane, asked);
    first = first ? status : first;
  }
  const Status waited = wait_for_all(asked);
  return first ? waited : first;
}

// The first failure; all are waited for.
Status Shipper::wait_for_all(const std::deque<Awaited>& asked) {
  Status first;
  for (const auto& awaited : asked) {
    Status status = wait_until([&] { return awaited.done(); });
    if (status && !awaited.outcome().ok()) {
      status = fail(awaited.outcome().error);
    }
    first = first ? status : first;
  }
  return first;
}

Status Shipper::expel(std::span<const int> owners, Extent range) {
  Status first;
  std::deque<Awaited> asked;
  for (const int owner : owners) {
    const Status status = ask_to_expel(owner, range, asked);
    first = first ? status : first;
  }
  const Status waited = wait_for_all(asked);
  return first ? waited : first;
}

Status Shipper::ask_to_expel(int owner, Extent range, std::deque<Awaited>& asked) {
  auto lane = lane_of(owner);
  if (!lane) {
    return fail(lane.error());
  }
  const std::lock_guard lock((*lane)->mutex);
  if (auto status = flush(**lane); !status) {
    return status;
  }
  const Piece piece{range.begin, range.length()};
  auto& awaited = asked.emplace_back(*this, std::span<std::byte>());
  auto status = ask(owner, {.kind = ship::Kind::kExpel}, {&piece, 1}, awaited);
  if (!status) {
    asked.pop_back();
  }
  return status;
}

Status Shipper::ask_to_settle(Lane& lane, std::deque<Awaited>& asked) {
  const std::lock_guard lock(lane.mutex);
  if (!lane.unsettled) {
    return {};
  }
  if (auto status = flush(lane); !status) {
    return status;
  }
  lane.buffers = {};  // gives the memory back; what is under way belongs to the mailbox
  auto& awaited = asked.emplace_back(*this, std::span<std::byte>());
  auto status = ask(lane.owner, {.kind = ship::Kind::kSettle}, {}, awaited);
  if (!status) {
    asked.pop_back();
  }
  lane.unsettled = !status;
  return status;
}

// Sleeps between polls: the owner may need the core.
template <typename Done>
Status Shipper::wait_until(Done done) {
  if (done()) {
    return {};
  }
  const Phase waiting(observer_, Counter::kWaitNs, "wait for owner", "ship");
  const BackgroundPatience sleeping;
  for (Patience patience; !done();) {
    const auto sent = mailbox_.progress();
    const auto taken = take_replies();
    if (!sent || !taken) {
      return fail(sent ? taken.error() : sent.error());
    }
    if (*sent || *taken) {
      patience = Patience();
    } else {
      patience.pause();
    }
  }
  return {};
}

Result<bool> Shipper::take_replies() {
  if (awaited_count_ == 0) {
    return false;
  }
  return mailbox_.poll(Channel::kReplies,
                       [this](int, std::span<const std::byte> message) { take_reply(message); });
}

// A reply that nobody waits for is of a call that failed.
void Shipper::take_reply(std::span<const std::byte> message) {
  const auto header = ship::header_of(message);
  if (!header || header->session != session_) {
    return;
  }
  const std::lock_guard lock(awaited_mutex_);
  if (const auto at = awaited_.find(header->id); at != awaited_.end()) {
    at->second->complete(ship::read_reply(*header, message));
  }
}

bool Shipper::poll() {
  const auto serve = [this](int from, std::span<const std::byte> message) {
    server_.serve(from, message);
  };
  bool worked = mailbox_.progress().value_or(false);
  for (int i = 0; i < kMessagesPerPoll && !server_.full(); ++i) {
    if (!mailbox_.poll(Channel::kRequests, serve).value_or(false)) {
      break;
    }
    worked = true;
  }
  return take_replies().value_or(false) || worked;
}

}  // namespace longshore
