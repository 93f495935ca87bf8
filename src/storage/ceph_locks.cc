#include "storage/ceph_locks.h"

#include <atomic>
#include <cerrno>
#include <utility>

namespace longshore {

namespace {

// Each open file is an owner of its own within this client.
uint64_t next_owner() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

CephLocks::CephLocks(std::shared_ptr<CephMount> mount, int file, int access)
    : mount_(std::move(mount)), file_(file), access_(access), owner_(next_owner()) {}

// By the inode's number, not by the name, which may mean another file by now.
int CephLocks::open_handle() {
  const auto& call = mount_->call();
  if (handle_ != nullptr) {
    return 0;
  }
  if (!call.has_locks()) {
    return EOPNOTSUPP;
  }
  CephStat info{};
  if (const int result = call.fstatx(mount_->handle(), file_, &info, kCephStatInode, 0);
      result < 0) {
    return -result;
  }
  CephInode* const inode =
      call.optional.ll_get_inode(mount_->handle(), {info.inode, kCephNoSnapshot});
  if (inode == nullptr) {
    return ESTALE;
  }
  const int result = call.optional.ll_open(mount_->handle(), inode, access_, &handle_,
                                           call.optional.mount_perms(mount_->handle()));
  (void)call.optional.ll_put(mount_->handle(), inode);
  if (result < 0) {
    handle_ = nullptr;
  }
  return result < 0 ? -result : 0;
}

int CephLocks::set(int type, Extent range, int wait) {
  const auto& call = mount_->call();
  int result = -EINTR;
  while (result == -EINTR) {
    struct flock region {};
    region.l_type = static_cast<short>(type);
    region.l_whence = SEEK_SET;
    region.l_start = range.begin;
    region.l_len = range.length();
    result = call.optional.ll_setlk(mount_->handle(), handle_, &region, owner_, wait);
  }
  return result < 0 ? -result : 0;
}

int CephLocks::lock(Extent range, bool exclusive) {
  {
    const std::lock_guard guard(mutex_);
    if (const int reason = open_handle(); reason != 0) {
      return reason;
    }
  }
  return set(exclusive ? F_WRLCK : F_RDLCK, range, 1);
}

void CephLocks::unlock(Extent range) {
  {
    const std::lock_guard guard(mutex_);
    if (handle_ == nullptr) {
      return;
    }
  }
  (void)set(F_UNLCK, range, 0);
}

void CephLocks::close() {
  const std::lock_guard guard(mutex_);
  if (handle_ != nullptr) {
    (void)mount_->call().optional.ll_close(mount_->handle(), std::exchange(handle_, nullptr));
  }
  mount_.reset();
}

}  // namespace longshore
