#include "advise/paging.h"

#include <algorithm>

namespace longshore {

namespace {

constexpr int64_t kLocalPageBytes = 64 * 1024;
constexpr int64_t kLocalCacheBytes = int64_t{4} << 20;
constexpr int64_t kRemotePageBytes = int64_t{1} << 20;
constexpr int64_t kLargestPage = int64_t{16} << 20;  // stripes may be larger than memory is
constexpr int64_t kCacheBytes = int64_t{64} << 20;
// From here on a local file system takes or gives a piece as fast as the pages do. Writers of small
// pieces wait for each other there, readers do not.
constexpr int64_t kLocalSmallWrite = 4096;
constexpr int64_t kLocalSmallRead = 1024;

}  // namespace

WriteBehindOptions beside_sieving(WriteBehindOptions options, bool sieves_writes) {
  if (sieves_writes && options.kind == WriteBehindKind::kAutomatic) {
    options.kind = WriteBehindKind::kOff;
  }
  return options;
}

// A local file system joins small writes in its own cache: there, little memory that stays in the
// processor's cache does best. Where servers hold the file, pages are its stripes and memory is
// what saves calls.
WriteBehindOptions in_effect(WriteBehindOptions options, const Layout& layout, bool one_host) {
  const auto choose = [](int64_t& value, int64_t otherwise) {
    value = value == 0 ? otherwise : value;
  };
  const bool local = one_host && !layout.striped;
  choose(options.page_bytes, layout.striped ? std::min(layout.stripe_bytes, kLargestPage)
                             : one_host     ? kLocalPageBytes
                                            : kRemotePageBytes);
  choose(options.cache_bytes, local ? kLocalCacheBytes : kCacheBytes);
  return options;
}

bool may_have_pages(const WriteBehindOptions& wished, int ranks, bool one_host,
                    bool background_threads) {
  return wished.kind != WriteBehindKind::kOff && ranks > 1 && (one_host || background_threads);
}

bool pages_are_local(const WriteBehindOptions& wished, const Layout& layout, bool one_host) {
  return wished.kind == WriteBehindKind::kAutomatic && !layout.striped && one_host;
}

bool reads_go_past_pages(const WriteBehindOptions& wished, bool one_host) {
  return wished.kind == WriteBehindKind::kAutomatic && !one_host;
}

WriteBehindOptions if_written(WriteBehindOptions options, bool written, bool one_host) {
  if (!written && reads_go_past_pages(options, one_host)) {
    options.kind = WriteBehindKind::kOff;
  }
  return options;
}

int64_t small_piece_bytes(IoKind kind, bool local, int64_t page_bytes) {
  if (!local) {
    return page_bytes;
  }
  return kind == IoKind::kWrite ? kLocalSmallWrite : kLocalSmallRead;
}

bool suits_pages(const Access& access, bool local, int64_t page_bytes) {
  const int64_t small = small_piece_bytes(access.kind, local, page_bytes);
  if (access.bytes() < small) {
    return true;
  }
  if (access.view.dense()) {
    return false;
  }
  const auto& tile = access.view.tile();
  return tile.size() / std::max<int64_t>(1, tile.pieces()) < small;
}

}  // namespace longshore
