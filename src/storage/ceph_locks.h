// storage/ceph_locks.h - locks of byte ranges in CephFS, which the metadata server keeps and which
// so hold between all clients.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/extent.h"
#include "core/result.h"
#include "storage/ceph_mount.h"

namespace longshore {

// The locks of one open file. The library takes ranges only on another kind of handle than the one
// that transfers use: it is opened with the first lock. Any thread may call.
class CephLocks {
 public:
  // `file` is open with `access` (O_RDONLY, O_WRONLY or O_RDWR) and stays so until close().
  CephLocks(std::shared_ptr<CephMount> mount, int file, int access);

  // Blocks until granted; an errno, 0 if it is. EOPNOTSUPP if the library has no such locks.
  // REQUIRES: range is not empty.
  [[nodiscard]] int lock(Extent range, bool exclusive);
  void unlock(Extent range);

  // Gives up all locks and the mount; unusable afterwards. No lock may be waited for.
  void close();

 private:
  [[nodiscard]] int open_handle();
  [[nodiscard]] int set(int type, Extent range, int wait);

  std::shared_ptr<CephMount> mount_;
  int file_;
  int access_;
  uint64_t owner_;
  std::mutex mutex_;
  CephOpenFile* handle_ = nullptr;  // from the first lock on
};

}  // namespace longshore
