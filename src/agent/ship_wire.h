// agent/ship_wire.h - what a shipped message looks like.
//
//   write   header, then entries: offset, length, `length` bytes. Header.bytes counts all of them.
//   read    header, then Header.count pieces (offset, length). Answered.
//   expel   header, then one piece. Answered when its pages are on storage and dropped.
//   settle  header alone. Answered, with the first error that writes of the sender had.
//   reply   header with the request's id, Verdict, Header.bytes bytes of data, the error's text.
//
// All ranks run on the same kind of machine, as MPI_BYTE messages of this library do elsewhere.
// Whoever reads a message checks every length in it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/mailbox.h"
#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore::ship {

inline constexpr int64_t kMaxData = 1 << 20;     // of one message
inline constexpr int64_t kMaxPieces = 16 << 10;  // of one read request
inline constexpr int64_t kMaxDetail = 512;       // of an error's text

enum class Kind : int32_t { kWrite = 1, kRead, kExpel, kSettle, kReply };

struct Header {
  int64_t session = 0;  // tells files that use the same mailbox one after the other apart
  int64_t id = 0;       // of a request, for its reply; 0 for writes
  int64_t bytes = 0;
  Kind kind = Kind::kWrite;
  int32_t count = 0;
};

// The header of an entry of a write is a Piece, as the pieces of a read are.
inline constexpr int64_t kHeaderBytes = sizeof(Header);
inline constexpr int64_t kEntryBytes = sizeof(Piece);

// A parcel of `bytes` in all that begins with the header; the rest is to be filled in.
[[nodiscard]] std::shared_ptr<Parcel> make_parcel(const Header& header, int64_t bytes);
void put_header(Parcel& parcel, const Header& header);
void put_entry(Parcel& parcel, int64_t at, Piece entry);

// Nothing if the message is too short for one.
[[nodiscard]] std::optional<Header> header_of(std::span<const std::byte> message);

// Takes the next entry of a write off `rest` (at first, all behind the header) and returns its
// data. Fails if the rest holds no whole entry.
struct Entry {
  int64_t offset = 0;
  std::span<const std::byte> data;
};
[[nodiscard]] Result<Entry> take_entry(std::span<const std::byte>& rest);

// The pieces of a read. Fails unless the message holds just as many as its header says and they
// ask for Header.bytes bytes, at most kMaxData.
[[nodiscard]] Status pieces_of(const Header& header, std::span<const std::byte> message,
                               std::vector<Piece>& pieces);

// Cuts a read into requests that fit into messages. REQUIRES: lengths >= 0.
class ReadCutter {
 public:
  ReadCutter(std::span<const Piece> pieces, std::span<std::byte> packed)
      : pieces_(pieces), rest_(packed) {}
  [[nodiscard]] bool more() const { return !pieces_.empty() && !rest_.empty(); }
  // The next request's pieces, valid until the next call, and where its bytes go.
  std::span<const Piece> next(std::span<std::byte>& packed);

 private:
  std::span<const Piece> pieces_;
  std::span<std::byte> rest_;
  int64_t done_ = 0;  // of the first piece
  std::vector<Piece> cut_;
};

// A reply is made with room for `bytes` of data, which the caller fills, and then finished with
// what became of it: outcome.bytes <= bytes.
[[nodiscard]] std::shared_ptr<Parcel> make_reply(int64_t bytes);
[[nodiscard]] std::span<std::byte> data_of_reply(Parcel& parcel, int64_t bytes);
void finish_reply(Parcel& parcel, const Header& request, const Outcome& outcome);

struct Reply {
  Error error;
  std::span<const std::byte> data;
};
// Fails if the message is no reply.
[[nodiscard]] Result<Reply> read_reply(const Header& header, std::span<const std::byte> message);

}  // namespace longshore::ship
