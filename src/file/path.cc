#include "file/path.h"

#include <strings.h>

#include <array>
#include <string_view>

namespace longshore {

std::string without_prefix(const std::string& path) {
  static constexpr std::array<std::string_view, 14> kPrefixes{
      "ufs:",    "nfs:",  "lustre:", "gpfs:", "xfs:",     "panfs:",   "pvfs2:",
      "testfs:", "daos:", "beegfs:", "ceph:", "unifyfs:", "quobyte:", "ime:"};
  for (const auto prefix : kPrefixes) {
    if (strncasecmp(path.c_str(), prefix.data(), prefix.size()) == 0) {
      return path.substr(prefix.size());
    }
  }
  return path;
}

}  // namespace longshore
