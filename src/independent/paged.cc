#include "independent/paged.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "independent/remote_reads.h"
#include "independent/zip.h"

namespace longshore {

namespace {

// One transfer; keeps the page of the last piece until a piece of another page comes.
class Paged {
 public:
  Paged(const PagedFile& file, IoKind kind)
      : file_(file),
        store_(file.store),
        storage_(file.storage),
        kind_(kind),
        page_bytes_(file.store.geometry().page_bytes) {}

  // False at an error or at end of file.
  bool move(IoPiece piece) {
    while (piece.length > 0) {
      const int64_t number = piece.offset / page_bytes_;
      const int64_t length = std::min(piece.length, (number + 1) * page_bytes_ - piece.offset);
      if (!move_part(number, {piece.offset, piece.memory, length})) {
        return false;
      }
      piece = {piece.offset + length, piece.memory + length, piece.length - length};
    }
    return true;
  }
  Outcome finish() {
    leave();
    return remote_ ? finish_remote() : outcome_;
  }

 private:
  bool move_part(int64_t number, const IoPiece& part) {
    if (file_.shipper != nullptr && !file_.homes->here(number)) {
      leave();
      return kind_ == IoKind::kWrite ? ship(number, part) : gather(number, part);
    }
    const int64_t before = outcome_.bytes;
    const bool whole = kind_ == IoKind::kWrite ? write(number, part) : read(number, part);
    if (remote_) {
      parts_.push_back({part.offset, part.length});
      local_end_ = whole ? local_end_ : part.offset + outcome_.bytes - before;
    }
    return whole;
  }
  // Lets the page go. What could not be written is not counted.
  bool leave() {
    if (page_) {
      if (const Status settled = kind_ == IoKind::kWrite ? page_->settle() : Status{}; !settled) {
        outcome_ = {bytes_before_page_, settled.error()};
      }
      page_.reset();
    }
    number_ = -1;
    return outcome_.ok();
  }
  bool failed(const Error& error) {
    outcome_.error = error;
    return false;
  }
  bool take(const Outcome& direct, int64_t wanted) {
    outcome_.bytes += direct.bytes;
    outcome_.error = direct.error;
    return direct.ok() && direct.bytes == wanted;
  }
  bool write(int64_t number, const IoPiece& part);
  bool read(int64_t number, const IoPiece& part);
  bool read_past(const IoPiece& part);
  bool ship(int64_t number, const IoPiece& part);
  bool gather(int64_t number, const IoPiece& part);
  Outcome finish_remote();
  [[nodiscard]] Result<int64_t> before_end(const IoPiece& part) const;

  const PagedFile& file_;
  PageStore& store_;
  Storage& storage_;
  IoKind kind_;
  int64_t page_bytes_;
  int64_t number_ = -1;
  std::optional<PageStore::Page> page_;
  int64_t bytes_before_page_ = 0;
  Outcome outcome_;
  // A read that has met a page of another node: its pieces there, and from then on all of them.
  std::optional<RemoteReads> remote_;
  int64_t bytes_before_remote_ = 0;
  std::vector<Piece> parts_;
  int64_t local_end_ = RemoteReads::kComplete;  // the first byte that a local part lacks
};

bool Paged::ship(int64_t number, const IoPiece& part) {
  raise_to(*file_.shipped_end, part.offset + part.length);
  const std::span<const std::byte> data(part.memory, static_cast<size_t>(part.length));
  if (auto sent = file_.shipper->write(file_.homes->owner(number), part.offset, data); !sent) {
    return failed(sent.error());
  }
  outcome_.bytes += part.length;
  return true;
}

bool Paged::gather(int64_t number, const IoPiece& part) {
  if (!remote_) {
    const auto end = end_of_file(file_);
    if (!end) {
      return failed(end.error());
    }
    remote_.emplace(*file_.shipper, *end);
    bytes_before_remote_ = outcome_.bytes;
  }
  parts_.push_back({part.offset, part.length});
  const Status added = remote_->add(file_.homes->owner(number), part);
  if (!added) {
    return failed(added.error());
  }
  const bool whole = remote_->end() == RemoteReads::kComplete;
  if (whole && remote_->idle()) {
    for (const auto& each : std::exchange(parts_, {})) {
      bytes_before_remote_ += each.length;
    }
  }
  return whole;
}

// Of the parts since the first remote one, those count that lie before the first missing byte.
Outcome Paged::finish_remote() {
  if (const Status fetched = remote_->fetch(); !fetched) {
    return {bytes_before_remote_, fetched.error()};
  }
  Outcome total{bytes_before_remote_, outcome_.error};
  const int64_t end = std::min(remote_->end(), local_end_);
  for (const auto& part : parts_) {
    const int64_t there = std::clamp<int64_t>(end - part.offset, 0, part.length);
    total.bytes += there;
    if (there < part.length) {
      break;
    }
  }
  return total;
}

bool Paged::write(int64_t number, const IoPiece& part) {
  if (number != number_) {
    if (!leave()) {
      return false;
    }
    auto page = store_.page_to_write(number, part);
    if (!page) {
      return failed(page.error());
    }
    if (!*page) {
      outcome_.bytes += part.length;
      return true;
    }
    page_.emplace(std::move(**page));
    number_ = number;
    bytes_before_page_ = outcome_.bytes;
  }
  const int64_t at = part.offset - number * page_bytes_;
  page_->put(at, {part.memory, static_cast<size_t>(part.length)});
  outcome_.bytes += part.length;
  return true;
}

// How many bytes of the part lie before the end of the file.
Result<int64_t> Paged::before_end(const IoPiece& part) const {
  const auto end = end_of_file(file_);
  return end ? std::clamp<int64_t>(*end - part.offset, 0, part.length) : end;
}

bool Paged::read(int64_t number, const IoPiece& part) {
  leave();
  const int64_t at = part.offset - number * page_bytes_;
  if (store_.peek(number, at, {part.memory, static_cast<size_t>(part.length)})) {
    outcome_.bytes += part.length;
    return true;
  }
  auto page = store_.page_to_read(number, {at, at + part.length});
  if (!page) {
    return failed(page.error());
  }
  if (!*page) {
    return read_past(part);
  }
  int64_t length = part.length;
  if ((*page)->valid() < at + length) {
    const auto there = before_end(part);
    if (!there) {
      return failed(there.error());
    }
    length = *there;
  }
  std::memcpy(part.memory, (*page)->data() + at, static_cast<size_t>(length));
  (*page)->took(length);
  outcome_.bytes += length;
  return length == part.length;
}

// Straight from storage. Storage may end earlier than the file: the bytes between are zero.
bool Paged::read_past(const IoPiece& part) {
  Outcome got = storage_.transfer(kind_, {&part, 1});
  if (got.ok() && got.bytes < part.length) {
    const auto there = before_end(part);
    if (!there) {
      return failed(there.error());
    }
    if (*there > got.bytes) {
      std::memset(part.memory + got.bytes, 0, static_cast<size_t>(*there - got.bytes));
      got.bytes = *there;
    }
  }
  return take(got, part.length);
}

}  // namespace

Result<int64_t> end_of_file(const PagedFile& file) {
  // Dirty pages first: one that is written out in between is in the other number.
  const int64_t shipped = file.shipped_end != nullptr ? file.shipped_end->load() : 0;
  const int64_t dirty = file.store.dirty_end();
  const auto stored = file.storage.size();
  return stored ? Result<int64_t>(std::max({*stored, dirty, shipped})) : stored;
}

Outcome move_paged(const PagedFile& file, IoKind kind, const IoPiece& piece) {
  Paged paged(file, kind);
  paged.move(piece);
  return paged.finish();
}

Outcome transfer_paged(const PagedFile& file, const Access& access) {
  if (access.view.dense() && access.memory.contiguous()) {
    return move_paged(file, access.kind,
                      {access.view.offset_at(access.first),
                       access.base + access.memory.bounds().begin, access.bytes()});
  }
  Paged paged(file, access.kind);
  const Pattern bytes = access.view.slice(access.first, access.last);
  Zip zip(bytes, access.memory, access.base);
  for (IoPiece piece; zip.next(piece) && paged.move(piece);) {
  }
  return paged.finish();
}

Status LocalPages::apply(int64_t offset, std::span<const std::byte> data) {
  // A write only reads its memory.
  const IoPiece piece{offset, const_cast<std::byte*>(data.data()),
                      static_cast<int64_t>(data.size())};
  const Outcome outcome = move_paged(file_, IoKind::kWrite, piece);
  return outcome.ok() ? Status{} : fail(outcome.error);
}

Outcome LocalPages::fetch(std::span<const Piece> pieces, std::span<std::byte> packed) {
  Paged paged(file_, IoKind::kRead);
  std::byte* at = packed.data();
  for (const auto& piece : pieces) {
    if (!paged.move({piece.offset, at, piece.length})) {
      break;
    }
    at += piece.length;
  }
  return paged.finish();
}

}  // namespace longshore
