#include "file/open_mode.h"

namespace longshore {

int64_t OpenMode::fingerprint() const {
  int64_t bits = 0;
  for (const bool flag : {read_only, read_write, write_only, create, exclusive, delete_on_close,
                          unique_open, sequential, append}) {
    bits = bits * 2 + (flag ? 1 : 0);
  }
  return bits;
}

Status check(const OpenMode& mode) {
  const int access =
      (mode.read_only ? 1 : 0) + (mode.read_write ? 1 : 0) + (mode.write_only ? 1 : 0);
  if (access != 1) {
    return fail(ErrorClass::kAmode, "exactly one of RDONLY, RDWR and WRONLY must be given");
  }
  if (mode.read_only && (mode.create || mode.exclusive)) {
    return fail(ErrorClass::kAmode, "RDONLY goes with neither CREATE nor EXCL");
  }
  if (mode.read_write && mode.sequential) {
    return fail(ErrorClass::kAmode, "RDWR does not go with SEQUENTIAL");
  }
  return {};
}

}  // namespace longshore
