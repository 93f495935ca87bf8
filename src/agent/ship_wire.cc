#include "agent/ship_wire.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace longshore::ship {

namespace {

struct Verdict {
  int32_t code = 0;
  int32_t sys_errno = 0;
  int64_t detail_bytes = 0;
};
constexpr int64_t kReplyHead = kHeaderBytes + static_cast<int64_t>(sizeof(Verdict));

int64_t length(std::span<const std::byte> bytes) { return static_cast<int64_t>(bytes.size()); }

bool sensible(const Piece& piece) {
  return piece.offset >= 0 && piece.length >= 0 && piece.offset <= Pattern::kMaxBytes &&
         piece.length <= Pattern::kMaxBytes;
}

auto malformed(const char* what) {
  return fail(ErrorClass::kIntern, std::string("malformed message: ") + what);
}

}  // namespace

std::shared_ptr<Parcel> make_parcel(const Header& header, int64_t bytes) {
  auto parcel = std::make_shared<Parcel>();
  parcel->bytes = parcel->memory.take(bytes);
  put_header(*parcel, header);
  return parcel;
}

void put_header(Parcel& parcel, const Header& header) {
  std::memcpy(parcel.bytes.data(), &header, sizeof(header));
}

void put_entry(Parcel& parcel, int64_t at, Piece entry) {
  std::memcpy(parcel.bytes.data() + at, &entry, sizeof(entry));
}

std::optional<Header> header_of(std::span<const std::byte> message) {
  if (length(message) < kHeaderBytes) {
    return std::nullopt;
  }
  Header header;
  std::memcpy(&header, message.data(), sizeof(header));
  return header;
}

Result<Entry> take_entry(std::span<const std::byte>& rest) {
  Piece piece;
  if (length(rest) < kEntryBytes) {
    return malformed("a write ends within an entry");
  }
  std::memcpy(&piece, rest.data(), sizeof(piece));
  rest = rest.subspan(sizeof(piece));
  if (!sensible(piece) || piece.length > length(rest)) {
    return malformed("the length of a write");
  }
  const Entry entry{piece.offset, rest.first(static_cast<size_t>(piece.length))};
  rest = rest.subspan(entry.data.size());
  return entry;
}

Status pieces_of(const Header& header, std::span<const std::byte> message,
                 std::vector<Piece>& pieces) {
  if (header.count < 0 || header.count > kMaxPieces ||
      length(message) != kHeaderBytes + header.count * kEntryBytes) {
    return malformed("the number of pieces of a read");
  }
  pieces.resize(static_cast<size_t>(header.count));
  std::memcpy(pieces.data(), message.data() + kHeaderBytes, message.size() - kHeaderBytes);
  int64_t sum = 0;
  for (const Piece& piece : pieces) {
    if (!sensible(piece) || piece.length > kMaxData - sum) {
      return malformed("a piece of a read");
    }
    sum += piece.length;
  }
  return sum == header.bytes ? Status{} : malformed("the bytes of a read");
}

std::span<const Piece> ReadCutter::next(std::span<std::byte>& packed) {
  cut_.clear();
  int64_t bytes = 0;
  const int64_t limit = std::min(kMaxData, length(rest_));
  while (!pieces_.empty() && bytes < limit && static_cast<int64_t>(cut_.size()) < kMaxPieces) {
    const Piece& piece = pieces_.front();
    const Piece part{piece.offset + done_, std::min(piece.length - done_, limit - bytes)};
    cut_.push_back(part);
    bytes += part.length;
    done_ += part.length;
    if (done_ == piece.length) {
      pieces_ = pieces_.subspan(1);
      done_ = 0;
    }
  }
  packed = rest_.first(static_cast<size_t>(bytes));
  rest_ = rest_.subspan(packed.size());
  return cut_;
}

std::shared_ptr<Parcel> make_reply(int64_t bytes) {
  return make_parcel({}, kReplyHead + bytes + kMaxDetail);
}

std::span<std::byte> data_of_reply(Parcel& parcel, int64_t bytes) {
  return parcel.bytes.subspan(kReplyHead, static_cast<size_t>(bytes));
}

void finish_reply(Parcel& parcel, const Header& request, const Outcome& outcome) {
  const auto& error = outcome.error;
  const auto detail = std::min(static_cast<int64_t>(error.detail.size()), kMaxDetail);
  const Verdict verdict{static_cast<int32_t>(error.code), error.sys_errno, detail};
  put_header(parcel, {request.session, request.id, outcome.bytes, Kind::kReply, 0});
  std::memcpy(parcel.bytes.data() + kHeaderBytes, &verdict, sizeof(verdict));
  std::memcpy(parcel.bytes.data() + kReplyHead + outcome.bytes, error.detail.data(),
              static_cast<size_t>(detail));
  parcel.bytes = parcel.bytes.first(static_cast<size_t>(kReplyHead + outcome.bytes + detail));
}

Result<Reply> read_reply(const Header& header, std::span<const std::byte> message) {
  Verdict verdict;
  if (header.kind != Kind::kReply || length(message) < kReplyHead) {
    return malformed("no reply");
  }
  std::memcpy(&verdict, message.data() + kHeaderBytes, sizeof(verdict));
  const int64_t rest = length(message) - kReplyHead;
  if (header.bytes < 0 || header.bytes > rest || verdict.detail_bytes != rest - header.bytes ||
      verdict.code < 0 || verdict.code > static_cast<int32_t>(ErrorClass::kIntern)) {
    return malformed("the lengths of a reply");
  }
  Reply reply;
  reply.data = message.subspan(kReplyHead, static_cast<size_t>(header.bytes));
  reply.error.code = static_cast<ErrorClass>(verdict.code);
  reply.error.sys_errno = verdict.sys_errno;
  reply.error.detail.assign(reinterpret_cast<const char*>(reply.data.data() + header.bytes),
                            static_cast<size_t>(verdict.detail_bytes));
  return reply;
}

}  // namespace longshore::ship
