// plan.h - one case in words: what every rank calls, and what must come of it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "type_model.h"

namespace random_test {

enum class Where { kExplicit, kIndividual, kShared };
enum class How { kBlocking, kNonblocking, kSplit };

struct Seek {
  int64_t offset_etypes = 0;
  int whence = MPI_SEEK_SET;
};

// One data access of one rank. The second half is filled in by Model::place.
struct Op {
  int id = 0;
  int rank = 0;
  bool write = false;
  bool collective = false;
  Where where = Where::kExplicit;
  How how = How::kBlocking;
  TypePtr type;
  int count = 0;
  int64_t offset_etypes = 0;    // explicit offsets only
  std::optional<Seek> seek;     // done just before, individual pointer only
  bool bottom = false;          // pass absolute addresses and MPI_BOTTOM
  bool large_count = false;     // call the _c form where the MPI has it
  bool wait_before = false;     // complete everything in flight first
  bool sync_before = false;     // complete everything in flight and sync, all ranks alike
  bool check_size = false;      // ask for the size of the file afterwards
  bool check_position = false;  // ask for the individual pointer afterwards
  uint64_t fill_seed = 0;       // the buffer's content before the call

  std::vector<int64_t> positions;  // file position of each byte that really moves
  std::vector<uint8_t> stream;     // those bytes, as they are in the file
  int64_t pointer_after_etypes = 0;
  int64_t own_end_bytes = 0;  // the least size of the file that the rank must see afterwards
  bool short_read = false;    // ends at the end of the file
  // Some rank of an ordered read ended at the end of the file: where the shared pointer goes then
  // is read in two ways, so it is set to this afterwards.
  std::optional<int64_t> set_shared_etypes;

  int64_t requested_bytes() const { return type->size * count; }
};

// Memory offset, relative to the buffer argument, of each byte of the data stream, in file order.
std::vector<int64_t> memory_order(const Op& op, bool external32);

// Content of a buffer at `offset` before the call.
uint8_t fill_byte(uint64_t seed, int64_t offset);

std::string describe(const Op& op);

// Accesses between two points where all ranks' data must be visible to all.
struct Phase {
  std::vector<std::vector<Op>> ops;  // per rank, in program order
  bool has_writes = false;
};

}  // namespace random_test
