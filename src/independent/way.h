// independent/way.h - the way that one rank's transfer goes, apart from going it.
#pragma once
#include "datatype/pattern.h"
#include "independent/access.h"
#include "independent/transfer.h"

namespace longshore {

// Those of transfer.h, and through pages in memory, which is decided before these.
enum class Way { kDirect, kList, kSieve, kPages };

// True if the pieces `file` of the access are moved as a range, from which they are picked.
[[nodiscard]] bool sieves(const Access& access, const Pattern& file,
                          const IndependentOptions& options);

// What run_independent() does with an access. Never kPages.
[[nodiscard]] Way way_of(const Access& access, const IndependentOptions& options);

}  // namespace longshore
