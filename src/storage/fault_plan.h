// storage/fault_plan.h - which calls to a file fail, and how.
//
// The text form, as in the environment variable LONGSHORE_FAULTS, is a list of rules separated by
// commas; a rule is an operation and its settings, separated by colons:
//
//   write:after=3:errno=ENOSPC:rank=1     rank 1's fourth write and all later ones fail
//   write:offset=4096:errno=EFBIG         no byte at or behind offset 4096 is ever written
//   read:after=2:count=1:keep=100         the third read moves 100 bytes, then fails with EIO
//   read:keep=10:errno=0                  each read ends after 10 bytes, as at the end of the file
//   write:delay_ms=20,sync:errno=EIO      writes are slow and sync fails
//   write:flip=5:count=1:path=out.nc      the first write to that file leaves its byte 5 wrong
//
// Calls are counted per open file, a transfer by transfer() or start() as one call.
//
//   operation  open (after and count do not apply) read write resize allocate sync lock size close
//              any (all but open)
//   after=N    the first N calls of the operation are left alone (default 0)
//   count=N    how many calls after these are hit (default: all)
//   errno=E    a name (ENOSPC) or number; the call fails with it. 0: no error, see keep. Default:
//              EIO, but none if the rule has a delay or a flip
//   keep=N     a transfer moves its first N bytes before it fails (default 0); one that is not
//              longer does not fail
//   offset=N   only transfers that touch bytes at or behind this file offset are hit, and only they
//              count for after and count; with an errno, the bytes up to the first such one are
//              moved
//   delay_ms=N the call is held up first
//   flip=N     the transfer's byte N (from 0, in the order of its pieces) has its lowest bit
//              inverted: in the file for a write, in memory for a read
//   rank=N     only on this rank
//   path=TEXT  only for files whose path contains it (no comma, no colon)
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace longshore {

enum class FaultOp { kOpen, kRead, kWrite, kResize, kAllocate, kSync, kLock, kSize, kClose, kAny };

struct FaultRule {
  FaultOp op = FaultOp::kAny;
  int64_t after = 0;
  std::optional<int64_t> count;
  int sys_errno = 0;
  std::optional<int64_t> keep_bytes;
  std::optional<int64_t> from_offset;
  int64_t delay_ms = 0;
  std::optional<int64_t> flip_byte;
  std::optional<int> rank;
  std::string path_part;

  // Whether the rule ends calls early, with or without an error.
  [[nodiscard]] bool cuts() const { return sys_errno != 0 || keep_bytes.has_value(); }
};

struct FaultPlan {
  std::vector<FaultRule> rules;

  // The rules that apply to `path` on `rank`.
  [[nodiscard]] FaultPlan select(int rank, std::string_view path) const;
};

// Reads the form above; empty text is a plan without rules. Fails with kInvalidArgument and names
// the setting that is wrong.
[[nodiscard]] Result<FaultPlan> parse_fault_plan(std::string_view text);

}  // namespace longshore
