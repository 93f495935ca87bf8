#include "storage/storage.h"

#include <utility>

#include "storage/ceph.h"
#include "storage/gpfs.h"
#include "storage/posix.h"
#include "storage/uring.h"

namespace longshore {

Outcome Storage::write_at(int64_t offset, std::span<const std::byte> data) {
  // Writes only read the memory: see IoPiece.
  const IoPiece piece{offset, const_cast<std::byte*>(data.data()),
                      static_cast<int64_t>(data.size())};
  return transfer(IoKind::kWrite, {&piece, 1});
}

Outcome Storage::read_at(int64_t offset, std::span<std::byte> data) {
  const IoPiece piece{offset, data.data(), static_cast<int64_t>(data.size())};
  return transfer(IoKind::kRead, {&piece, 1});
}

Result<std::string> Storage::attribute(const std::string& name) {
  return fail(ErrorClass::kUnsupportedOperation, "no attributes here, so no " + name);
}

Status Storage::set_attribute(const std::string& name, const std::string&) {
  return fail(ErrorClass::kUnsupportedOperation, "no attributes here, so no " + name);
}

Result<int64_t> Storage::device_of(int64_t) {
  return fail(ErrorClass::kUnsupportedOperation, "which device holds a byte cannot be told");
}

Status Storage::start_data_shipping(const DataShipping&) {
  return fail(ErrorClass::kUnsupportedOperation, "the file system ships no data");
}

Status Storage::stop_data_shipping() {
  return fail(ErrorClass::kUnsupportedOperation, "the file system ships no data");
}

Result<std::unique_ptr<Storage>> open_storage(const std::string& path, const OpenOptions& options,
                                              const std::string& backend) {
  if (backend != "posix" && backend != "io_uring" && backend != "auto") {
    return fail(ErrorClass::kInvalidArgument, "unknown storage backend: " + backend);
  }
  if (is_ceph_path(path)) {
    return open_ceph(path, options);
  }
  if (backend == "io_uring") {
    return open_uring(path, options);
  }
  Result<FileDescriptor> file = open_file(path, options);
  if (!file) {
    return fail(std::move(file.error()));
  }
  if (is_on_gpfs(file->get())) {
    if (const GpfsLibrary* library = GpfsLibrary::of_system()) {
      return std::make_unique<GpfsStorage>(std::move(*file), path, options, *library);
    }
  }
  return std::make_unique<PosixStorage>(std::move(*file), path, options);
}

Status remove_file(const std::string& path) {
  return is_ceph_path(path) ? remove_ceph_file(path) : remove_local_file(path);
}

void release_idle_storage() { CephMount::release(); }

}  // namespace longshore
