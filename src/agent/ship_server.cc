#include "agent/ship_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace longshore {

namespace {
constexpr int64_t kRepliesUnderWayBytes = 8 << 20;
constexpr size_t kRepliesUnderWay = 1024;
}  // namespace

void ShipServer::serve(int from, std::span<const std::byte> message) {
  const auto header = ship::header_of(message);
  if (!header) {
    return note(from, {ErrorClass::kIntern, 0, "malformed message: no header"});
  }
  if (header->session != session_) {
    return;  // of a file that failed and left it behind; nobody waits for it any more
  }
  switch (header->kind) {
    case ship::Kind::kWrite: return write(from, message.subspan(ship::kHeaderBytes));
    case ship::Kind::kRead: return read(from, *header, message);
    case ship::Kind::kExpel: return expel(from, *header, message.subspan(ship::kHeaderBytes));
    case ship::Kind::kSettle: return settle(from, *header);
    case ship::Kind::kReply: break;
  }
  answer(from, *header, {ErrorClass::kIntern, 0, "malformed message: unknown kind"});
}

void ShipServer::write(int from, std::span<const std::byte> entries) {
  while (!entries.empty()) {
    const auto entry = ship::take_entry(entries);
    if (!entry) {
      return note(from, entry.error());
    }
    if (auto status = pages_.apply(entry->offset, entry->data); !status) {
      note(from, status.error());
    }
    observer_.count(Counter::kBytesCopied, static_cast<int64_t>(entry->data.size()));
  }
}

void ShipServer::read(int from, const ship::Header& header, std::span<const std::byte> message) {
  if (auto status = ship::pieces_of(header, message, pieces_); !status) {
    return answer(from, header, status.error());
  }
  auto reply = ship::make_reply(header.bytes);
  auto outcome = pages_.fetch(pieces_, ship::data_of_reply(*reply, header.bytes));
  outcome.bytes = std::clamp<int64_t>(outcome.bytes, 0, header.bytes);
  observer_.count(Counter::kBytesCopied, outcome.bytes);
  ship::finish_reply(*reply, header, outcome);
  answer(from, reply);
}

void ShipServer::expel(int from, const ship::Header& header, std::span<const std::byte> rest) {
  Piece range;
  std::memcpy(&range, rest.data(), std::min(rest.size(), sizeof(range)));
  int64_t end = 0;
  if (rest.size() != sizeof(range) || range.offset < 0 || range.length < 0 ||
      __builtin_add_overflow(range.offset, range.length, &end)) {
    return answer(from, header, {ErrorClass::kIntern, 0, "malformed message: no range"});
  }
  const auto status = pages_.expel({range.offset, end});
  answer(from, header, status ? Error{} : status.error());
}

void ShipServer::settle(int from, const ship::Header& header) {
  Error first;
  if (const auto at = first_error_.find(from); at != first_error_.end()) {
    first = std::move(at->second);
    first_error_.erase(at);
  }
  answer(from, header, std::move(first));
}

// A reply without data.
void ShipServer::answer(int to, const ship::Header& header, Error error) {
  auto reply = ship::make_reply(0);
  ship::finish_reply(*reply, header, {0, std::move(error)});
  answer(to, reply);
}

void ShipServer::answer(int to, const std::shared_ptr<Parcel>& reply) {
  if (auto status = mailbox_.post(Channel::kReplies, to, reply); status) {
    replies_.push_back(reply);
    observer_.count(Counter::kMessages, 1);
  } else {
    note(to, status.error());
  }
}

void ShipServer::note(int from, const Error& error) { first_error_.try_emplace(from, error); }

bool ShipServer::full() {
  std::erase_if(replies_, [](const auto& reply) { return !reply->under_way; });
  int64_t bytes = 0;
  for (const auto& reply : replies_) {
    bytes += static_cast<int64_t>(reply->bytes.size());
  }
  return bytes >= kRepliesUnderWayBytes || replies_.size() >= kRepliesUnderWay;
}

}  // namespace longshore
