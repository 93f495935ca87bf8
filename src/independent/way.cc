#include "independent/way.h"

#include <algorithm>

namespace longshore {

namespace {

// A gap costs a copy of its bytes, a piece of its own costs a call: sieving a read pays where the
// pieces are small and fill enough of their hull.
constexpr int64_t kSmallPieceBytes = 4096;

// The share of its hull that `file` fills is at least so many percent.
bool fills(const Pattern& file, int64_t percent) {
  return file.size() >= static_cast<int64_t>(static_cast<double>(file.bounds().length()) *
                                             static_cast<double>(percent) / 100);
}

bool sieve_pays(const Pattern& file, int64_t least_percent) {
  return file.size() / std::max<int64_t>(1, file.pieces()) < kSmallPieceBytes &&
         fills(file, least_percent);
}

}  // namespace

bool sieves(const Access& access, const Pattern& file, const IndependentOptions& options) {
  if (file.contiguous() || !file.monotone() || options.only_contiguous) {
    return false;
  }
  if (access.kind == IoKind::kWrite) {
    return options.write == Sieving::kEnable && fills(file, options.write_density_percent);
  }
  return options.read == Sieving::kEnable ||
         (options.read == Sieving::kAutomatic && sieve_pays(file, options.read_density_percent));
}

Way way_of(const Access& access, const IndependentOptions& options) {
  const bool others_sieve = access.kind == IoKind::kWrite && options.write == Sieving::kEnable;
  if (!others_sieve && access.view.dense() && access.memory.contiguous()) {
    return Way::kDirect;
  }
  const Pattern file = access.view.slice(access.first, access.last);
  return sieves(access, file, options) ? Way::kSieve : Way::kList;
}

}  // namespace longshore
