#include "storage/posix.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "storage/attribute.h"
#include "storage/move_pieces.h"

namespace longshore {

namespace {

static_assert(sizeof(off_t) == 8, "files beyond 2 GiB need 64-bit offsets");

// Repeats `call` (a system call that returns -1 on failure) while it is interrupted.
template <typename Call>
int uninterrupted(Call call) {
  int result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

int64_t preferred_block_bytes(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? std::max<int64_t>(1, info.st_blksize) : 1;
}

constexpr int64_t kBriefBytes = int64_t{1} << 20;

bool lives_in_memory(int fd) {
  struct statfs info {};
  return fstatfs(fd, &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

PosixStorage::PosixStorage(FileDescriptor file, std::string path, const OpenOptions& options)
    : file_(std::move(file)),
      path_(std::move(path)),
      readable_(options.read),
      writable_(options.write),
      block_bytes_(preferred_block_bytes(file_.get())) {}

Outcome PosixStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  const int fd = file_.get();
  // Most small calls are over with this. What is not is begun anew, with all its care.
  if (pieces.size() == 1 && pieces[0].length <= kBriefBytes &&
      call_once(fd, kind, pieces[0]) == pieces[0].length) {
    return {pieces[0].length, {}};
  }
  const RunCall call = [fd](IoKind call_kind, const IoRun& run) {
    return call_vectored(fd, call_kind, run);
  };
  return with_path(move_pieces(call, kind, pieces));
}

Outcome PosixStorage::with_path(Outcome outcome) const {
  if (!outcome.ok()) {
    outcome.error.detail = path_ + ": " + outcome.error.detail;
  }
  return outcome;
}

std::unique_ptr<PendingIo> PosixStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  return run_on_worker([this, kind, copy = std::vector(pieces.begin(), pieces.end())] {
    return PosixStorage::transfer(kind, copy);
  });
}

Result<int64_t> PosixStorage::size() {
  struct stat info {};
  if (uninterrupted([&] { return fstat(fd(), &info); }) != 0) {
    return fail_errno(errno, what("fstat"));
  }
  if (!S_ISBLK(info.st_mode)) {
    return info.st_size;
  }
  const int64_t end = lseek(fd(), 0, SEEK_END);
  if (end < 0) {
    return fail_errno(errno, what("lseek"));
  }
  return end;
}

Status PosixStorage::resize(int64_t size_bytes) {
  if (uninterrupted([&] { return ftruncate(fd(), size_bytes); }) != 0) {
    return fail_errno(errno, what("ftruncate"));
  }
  return {};
}

Status PosixStorage::allocate(int64_t size_bytes) {
  if (size_bytes < 0) {
    return fail(ErrorClass::kInvalidArgument, what("negative size to allocate for"));
  }
  if (size_bytes == 0) {
    return {};
  }
  if (uninterrupted([&] { return fallocate(fd(), 0, 0, size_bytes); }) != 0) {
    return fail_errno(errno, what("fallocate"));
  }
  return {};
}

Status PosixStorage::sync() {
  if (uninterrupted([&] { return fsync(fd()); }) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return fail_errno(errno, what("fsync"));
  }
  return {};
}

Status PosixStorage::lock(Extent range, bool exclusive) {
  if (range.empty()) {
    return {};
  }
  struct flock region {};
  region.l_type = static_cast<short>(exclusive || !readable_ ? F_WRLCK : F_RDLCK);
  region.l_whence = SEEK_SET;
  region.l_start = range.begin;
  region.l_len = range.length();
  int result = uninterrupted([&] { return fcntl(fd(), F_OFD_SETLKW, &region); });
  if (result != 0 && errno == EINVAL && range.begin >= 0) {
    result = uninterrupted([&] { return fcntl(fd(), F_SETLKW, &region); });
  }
  if (result == 0) {
    return {};
  }
  const int reason = errno;
  Error error = errno_error(reason, what("lock"));
  if (reason == EBADF && fd() >= 0 && !writable_) {
    error.code = ErrorClass::kAccess;
  } else if (reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP ||
             (reason == EINVAL && range.begin >= 0)) {
    error.code = ErrorClass::kUnsupportedOperation;
  }
  return fail(std::move(error));
}

void PosixStorage::unlock(Extent range) {
  if (range.empty()) {
    return;
  }
  struct flock region {};
  region.l_type = F_UNLCK;
  region.l_whence = SEEK_SET;
  region.l_start = range.begin;
  region.l_len = range.length();
  if (uninterrupted([&] { return fcntl(fd(), F_OFD_SETLK, &region); }) != 0 && errno == EINVAL) {
    uninterrupted([&] { return fcntl(fd(), F_SETLK, &region); });
  }
}

void PosixStorage::will_need(Extent range) {
  if (!range.empty()) {
    (void)posix_fadvise(fd(), range.begin, range.length(), POSIX_FADV_WILLNEED);
  }
}

bool PosixStorage::cached(int64_t offset) {
  std::byte byte{};
  iovec memory{&byte, 1};
  const int64_t moved = preadv2(fd(), &memory, 1, offset, RWF_NOWAIT);
  return moved == 1 || (moved < 0 && errno == EOPNOTSUPP && lives_in_memory(fd()));
}

Status PosixStorage::close() {
  workers_.release();
  // Not repeated when interrupted: Linux has freed the descriptor even then.
  if (::close(file_.release()) != 0) {
    return fail_errno(errno, what("close"));
  }
  return {};
}

Result<std::string> PosixStorage::attribute(const std::string& name) {
  return read_attribute(what(name.c_str()), [&](char* value, size_t bytes) -> int64_t {
    const int64_t result = fgetxattr(fd(), name.c_str(), value, bytes);
    return result < 0 ? -errno : result;
  });
}

Status PosixStorage::set_attribute(const std::string& name, const std::string& value) {
  const int result = fsetxattr(fd(), name.c_str(), value.data(), value.size(), 0);
  return attribute_status(result < 0 ? -errno : 0, what(name.c_str()));
}

}  // namespace longshore
