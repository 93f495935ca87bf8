#include "file/path.h"

#include <array>

namespace longshore {

std::string without_prefix(const std::string& path) {
  static constexpr std::array kPrefixes{
      "ufs:",   "nfs:",    "lustre:", "gpfs:",   "xfs:",    "panfs:",
      "pvfs2:", "testfs:", "daos:",   "beegfs:", "unifyfs:"};
  for (const std::string prefix : kPrefixes) {
    if (path.rfind(prefix, 0) == 0) {
      return path.substr(prefix.size());
    }
  }
  return path;
}

}  // namespace longshore
