// file/open_mode.h - MPI's access modes as a value.
#pragma once
#include "core/result.h"

namespace longshore {

struct OpenMode {
  bool read_only = false;
  bool read_write = false;
  bool write_only = false;
  bool create = false;
  bool exclusive = false;
  bool delete_on_close = false;
  bool unique_open = false;
  bool sequential = false;
  bool append = false;

  [[nodiscard]] bool readable() const { return read_only || read_write; }
  [[nodiscard]] bool writable() const { return write_only || read_write; }
  // A number that is equal for equal modes.
  [[nodiscard]] int64_t fingerprint() const;
};

// kAmode unless exactly one of the three access modes is given, create and exclusive come with a
// writable mode, and sequential not with read_write.
[[nodiscard]] Status check(const OpenMode& mode);

}  // namespace longshore
