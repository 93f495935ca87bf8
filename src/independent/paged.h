// independent/paged.h - a transfer through the pages of its owners: the client of write-behind.
#pragma once
#include <atomic>
#include <cstdint>

#include "agent/page_store.h"
#include "agent/shipper.h"
#include "core/result.h"
#include "independent/access.h"
#include "independent/page_homes.h"
#include "storage/storage.h"

namespace longshore {

// Where pages are. Without a shipper all of them are in this node's store.
struct PagedFile {
  PageStore& store;
  Storage& storage;
  Shipper* shipper = nullptr;
  const PageHomes* homes = nullptr;
  // The end of what this process has shipped to other nodes and may not be on storage yet.
  std::atomic<int64_t>* shipped_end = nullptr;
};

// Makes `value` at least `least`, whatever other threads do to it.
inline void raise_to(std::atomic<int64_t>& value, int64_t least) {
  int64_t known = value.load();
  while (known < least && !value.compare_exchange_weak(known, least)) {
  }
}

// Moves all of `access` through the pages: a write is done when its bytes lie there, or are on
// their way. Stops at the first failure or at end of file; the count is a prefix of the stream.
// What finds no room goes to storage directly.
Outcome transfer_paged(const PagedFile& file, const Access& access);
// The same for a single piece.
Outcome move_paged(const PagedFile& file, IoKind kind, const IoPiece& piece);

// The end of the file as this process must see it: also bytes that are not on storage yet.
[[nodiscard]] Result<int64_t> end_of_file(const PagedFile& file);

// This node's pages, for ranks of other nodes.
class LocalPages final : public PageServer {
 public:
  LocalPages(PageStore& store, Storage& storage) : file_{store, storage} {}
  Status apply(int64_t offset, std::span<const std::byte> data) override;
  Outcome fetch(std::span<const Piece> pieces, std::span<std::byte> packed) override;
  Status expel(Extent range) override { return file_.store.expel(range); }

 private:
  PagedFile file_;
};

}  // namespace longshore
