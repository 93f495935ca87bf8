#include "storage/storage.h"

#include <utility>

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

Result<std::unique_ptr<Storage>> open_storage(const std::string& path, const OpenOptions& options,
                                              const std::string& backend) {
  if (backend == "io_uring") {
    return open_uring(path, options);
  }
  if (backend != "posix" && backend != "auto") {
    return fail(ErrorClass::kInvalidArgument, "unknown storage backend: " + backend);
  }
  Result<FileDescriptor> file = open_file(path, options);
  if (!file) {
    return fail(std::move(file.error()));
  }
  return std::make_unique<PosixStorage>(std::move(*file), path, options);
}

}  // namespace longshore
