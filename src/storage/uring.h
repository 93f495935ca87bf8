// storage/uring.h - files through io_uring: many small pieces in one submission, and transfers that
// go on in the kernel without a thread of ours.
//
// Meant for media with latency, where a deep queue pays. On a page cache that cannot take writes
// without blocking (tmpfs, ext4) the kernel hands each one to a worker: 1 to 4 KiB pieces then move
// at about half the speed of plain calls, 64 KiB pieces at the same.
#pragma once
#include <memory>
#include <string>

#include "storage/storage.h"

namespace longshore {

// Opens as open_storage() does. Where this build or the kernel has no io_uring the result is a
// posix storage, as its backend() says.
[[nodiscard]] Result<std::unique_ptr<Storage>> open_uring(const std::string& path,
                                                          const OpenOptions& options);

}  // namespace longshore
