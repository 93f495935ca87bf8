// independent/transfer.h - one rank's transfer on its own: direct, as a list, or by sieving.
//
// direct: file side and memory side contiguous; one call.
// list:   the pieces of the file go to storage as a list, straight from the program's memory, or
//         through a small buffer where that memory is in crumbs. Touches no other byte.
// sieve:  reads the hull and picks the pieces out; for writes, under an exclusive lock, reads the
//         hull, puts the pieces in and writes it back.
// A read is sieved by itself when its pieces are small and close together; either way of reading
// many pieces may announce the next ones ahead (prefetch.h). A write is sieved only
// on demand: writing back bytes that no one wrote is safe only if every other writer of those bytes
// takes a lock too, so on a file with sieved writes plain ones take a shared lock.
#pragma once
#include <cstdint>
#include <mutex>

#include "core/observer.h"
#include "core/result.h"
#include "independent/access.h"
#include "independent/prefetch.h"
#include "storage/storage.h"

namespace longshore {

enum class Sieving { kAutomatic, kEnable, kDisable };

struct IndependentOptions {
  Sieving read = Sieving::kAutomatic;
  Sieving write = Sieving::kAutomatic;
  int64_t read_buffer_bytes = 4 << 20;
  int64_t write_buffer_bytes = 512 << 10;
  // The least share of its hull that an access must fill to be sieved: a read by itself, a write
  // with kEnable.
  int64_t read_density_percent = 25;
  int64_t write_density_percent = 0;
  // Every storage call moves one piece, contiguous in memory and file: nothing is sieved.
  bool only_contiguous = false;
  PrefetchTerms prefetch;
  // Orders the threads of this process that lock; null if the caller holds a lock on the whole
  // access, or if there is none to be had: then none is taken and writes are not sieved alone.
  std::mutex* locks = nullptr;
  Observer* observer = nullptr;
  bool counts_ways = false;  // with an observer: which way the access goes
};

// Any number of threads may run transfers on one Storage.
Outcome run_independent(Storage& storage, const Access& access, const IndependentOptions& options);

}  // namespace longshore
