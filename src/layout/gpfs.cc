#include "layout/gpfs.h"

#include <algorithm>

namespace longshore {

Layout gpfs_layout(int64_t block_bytes) {
  Layout layout;
  layout.file_system = FileSystem::kGpfs;
  layout.striped = true;
  layout.stripe_bytes = std::max<int64_t>(1, block_bytes);
  layout.lock_bytes = layout.stripe_bytes;
  layout.devices = {-1};
  return layout;
}

}  // namespace longshore
