#include "storage/ceph.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "storage/attribute.h"
#include "storage/ceph_run.h"
#include "storage/move_pieces.h"

namespace longshore {

namespace {

// Repeats `call` (of the library: -errno on failure) while it is interrupted.
template <typename Call>
int uninterrupted(Call call) {
  int result = call();
  while (result == -EINTR) {
    result = call();
  }
  return result;
}

int access_of(const OpenOptions& options) {
  if (options.read && options.write) {
    return O_RDWR;
  }
  return options.write ? O_WRONLY : O_RDONLY;
}

int64_t preferred_block_bytes(const CephMount& mount, int file) {
  CephStat info{};
  const int result = mount.call().fstatx(mount.handle(), file, &info, kCephStatMode, 0);
  return result < 0 ? 1 : std::max<int64_t>(1, info.block_bytes);
}

}  // namespace

CephStorage::CephStorage(std::shared_ptr<CephMount> mount, int file, std::string path,
                         const OpenOptions& options)
    : mount_(std::move(mount)),
      file_(file),
      path_(std::move(path)),
      readable_(options.read),
      writable_(options.write),
      block_bytes_(preferred_block_bytes(*mount_, file_)),
      locks_(mount_, file_, access_of(options)) {}

CephStorage::~CephStorage() {
  if (file_ >= 0) {
    (void)CephStorage::close();
  }
}

Status CephStorage::status_of(int result, const char* call) const {
  if (result < 0) {
    return fail_errno(-result, what(call));
  }
  return {};
}

Outcome CephStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  if (kind == IoKind::kWrite) {
    dirty_ = true;
  }
  const RunCall call = [this](IoKind call_kind, const IoRun& run) {
    return call_ceph(*mount_, file_, call_kind, run, kMaxCallBytes);
  };
  Outcome outcome = move_pieces(call, kind, pieces);
  if (!outcome.ok()) {
    outcome.error.detail = path_ + ": " + outcome.error.detail;
  }
  return outcome;
}

std::unique_ptr<PendingIo> CephStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  return workers_.run([this, kind, copy = std::vector(pieces.begin(), pieces.end())] {
    return CephStorage::transfer(kind, copy);
  });
}

Result<int64_t> CephStorage::size() {
  CephStat info{};
  const int result = uninterrupted(
      [&] { return mount_->call().fstatx(mount_->handle(), file_, &info, kCephStatSize, 0); });
  if (result < 0) {
    return fail_errno(-result, what("statx"));
  }
  return static_cast<int64_t>(info.size_bytes);
}

Status CephStorage::resize(int64_t size_bytes) {
  if (size_bytes < 0) {
    return fail_errno(EINVAL, what("truncate"));
  }
  const auto cut = [&] { return mount_->call().ftruncate(mount_->handle(), file_, size_bytes); };
  return status_of(uninterrupted(cut), "truncate");
}

Status CephStorage::allocate(int64_t size_bytes) {
  if (size_bytes < 0) {
    return fail(ErrorClass::kInvalidArgument, what("negative size to allocate for"));
  }
  return fail(ErrorClass::kUnsupportedOperation, what("reserving space"));
}

Status CephStorage::sync() {
  const bool was_dirty = dirty_.exchange(false);  // before: a write may come meanwhile
  const auto flush = [&] { return mount_->call().fsync(mount_->handle(), file_, 0); };
  const int result = uninterrupted(flush);
  if (result < 0 && was_dirty) {
    dirty_ = true;
  }
  return status_of(result, "fsync");
}

Status CephStorage::lock(Extent range, bool exclusive) {
  if (range.empty()) {
    return {};
  }
  if (exclusive && !writable_) {
    return fail(ErrorClass::kAccess, what("exclusive lock of a file open for reading only:"));
  }
  const int reason = locks_.lock(range, exclusive || !readable_);
  if (reason == 0) {
    return {};
  }
  Error error = errno_error(reason, what("lock"));
  if (reason == ENOLCK) {
    error.code = ErrorClass::kUnsupportedOperation;
  }
  return fail(std::move(error));
}

void CephStorage::unlock(Extent range) {
  if (!range.empty()) {
    locks_.unlock(range);
  }
}

Status CephStorage::close() {
  workers_.release();
  locks_.close();
  const Status flushed = dirty_ ? sync() : Status{};
  const int result = mount_->call().close(mount_->handle(), std::exchange(file_, -1));
  const Status closed = status_of(result, "close");
  mount_.reset();
  return flushed ? closed : flushed;
}

Result<std::string> CephStorage::attribute(const std::string& name) {
  return read_attribute(what(name.c_str()), [&](char* value, size_t bytes) -> int64_t {
    return mount_->call().fgetxattr(mount_->handle(), file_, name.c_str(), value, bytes);
  });
}

Status CephStorage::set_attribute(const std::string& name, const std::string& value) {
  const int result = mount_->call().fsetxattr(mount_->handle(), file_, name.c_str(), value.data(),
                                              value.size(), 0);
  return attribute_status(result, what(name.c_str()));
}

Result<int64_t> CephStorage::device_of(int64_t offset) {
  const auto find = mount_->call().optional.get_file_extent_osds;
  if (find == nullptr) {
    return Storage::device_of(offset);
  }
  if (offset < 0) {
    return fail_errno(EINVAL, what("device of a byte of"));
  }
  std::array<int, 64> devices{};
  int64_t length = 0;
  const int count = find(mount_->handle(), file_, offset, &length, devices.data(),
                         static_cast<int>(devices.size()));
  if (count <= 0) {
    return fail_errno(count < 0 ? -count : EIO, what("device of a byte of"));
  }
  return devices.front();
}

}  // namespace longshore
