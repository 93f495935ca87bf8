// independent/prefetch.h - reads a series of ranges while the next ones are being fetched.
//
// Controlled prefetching of Prost et al. (2000), section 2.3. With max_ranges = m: announce the
// first 2m ranges; read m of them; release those and announce the next m; and so on. So at least m
// ranges are on their way while others are read, and never more than 2m are asked for, which keeps
// one process from taking a shared server for itself. docs/prefetch.md has figures.
//
// Worked example, m = 1, ranges A B C D: announce A B; read A, release A, announce C; read B,
// release B, announce D; read C, release C; read D, release D.
#pragma once
#include <cstdint>
#include <functional>

#include "core/result.h"
#include "datatype/pattern.h"
#include "independent/access.h"
#include "layout/layout.h"
#include "storage/storage.h"

namespace longshore {

struct PrefetchTerms {
  static constexpr int64_t kAutomatic = -1;

  int64_t max_ranges = kAutomatic;  // read at once, "max_acc"; 0: nothing is announced
  int64_t block_bytes = 0;          // one range per so many bytes; 0: nothing is announced
};

// The block that ranges go by: a stripe, or what a plain file system moves well in one request; at
// least the `least_bytes` that the file system moves at all.
[[nodiscard]] int64_t prefetch_block_bytes(const Layout& layout, int64_t least_bytes);

// How many ranges to read at once from `file`; 0: do not announce. A number that was asked for
// counts. Otherwise announcing is for small pieces in several blocks that are not in memory yet.
[[nodiscard]] int64_t prefetch_depth(Storage& storage, const Pattern& file,
                                     const PrefetchTerms& terms);

// Reads a part of an access, whose file side is the given pattern.
using ReadPart = std::function<Outcome(const Access& part, const Pattern& file)>;

// Reads `access`, whose file side is `file`, by `read` in parts of `depth` ranges. Ends at the
// first part that fails or is short; the count is a prefix.  REQUIRES: file.monotone(), depth > 0.
Outcome read_prefetched(Storage& storage, const Access& access, const Pattern& file,
                        const PrefetchTerms& terms, int64_t depth, const ReadPart& read);

}  // namespace longshore
