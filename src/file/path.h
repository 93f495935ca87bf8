// file/path.h - file names as programs give them.
#pragma once
#include <string>

namespace longshore {

// The path without the kind of file system that users of ROMIO may put before it ("ufs:/a" is
// "/a").
[[nodiscard]] std::string without_prefix(const std::string& path);

}  // namespace longshore
