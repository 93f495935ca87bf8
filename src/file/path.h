// file/path.h - file names as programs give them.
#pragma once
#include <string>

namespace longshore {

// The path without the kind of file system that users of ROMIO may put before it ("ufs:/a" and
// "UFS:/a" are "/a"). The kind itself is not believed: it is found by looking. "cephfs:" stays: it
// says how the file is reached (storage/ceph.h).
[[nodiscard]] std::string without_prefix(const std::string& path);

}  // namespace longshore
