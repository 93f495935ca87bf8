#include "small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace independent_test {

Bytes content(int64_t offset, int64_t count, int generation) {
  Bytes bytes(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = offset + i;
    bytes[static_cast<size_t>(i)] =
        static_cast<unsigned char>(1 + (at + at / 251 + int64_t{generation} * 17) % 255);
  }
  return bytes;
}

Bytes plain_read(const std::string& path, int64_t offset, int64_t count) {
  Bytes bytes(static_cast<size_t>(count));
  const int fd = ::open(path.c_str(), O_RDONLY);
  const ssize_t got = fd < 0 ? 0 : pread(fd, bytes.data(), bytes.size(), offset);
  if (fd >= 0) {
    ::close(fd);
  }
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

void plain_write(const std::string& path, int64_t offset, const Bytes& bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY);
  if (pwrite(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  ::close(fd);
}

void create(const std::string& path) { ::close(::open(path.c_str(), O_CREAT | O_WRONLY, 0644)); }

SmallFile::SmallFile(Session& session, MPI_Comm comm, const std::string& path,
                     const HintPairs& hints, int amode)
    : session_(session), comm_(comm) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) {
    MPI_Info_set(info, key.c_str(), value.c_str());
  }
  ok(MPI_File_open(comm, path.c_str(), amode, info, &file_), "open");
  MPI_Info_free(&info);
}

void SmallFile::ok(int code, const std::string& what) {
  session_.expect_class(code, {MPI_SUCCESS}, what);
}

bool SmallFile::try_write(int64_t offset, int64_t count, int generation) const {
  const Bytes bytes = content(offset, count, generation);
  MPI_Status status;
  return MPI_File_write_at(file_, offset, bytes.data(), static_cast<int>(count), MPI_BYTE,
                           &status) == MPI_SUCCESS &&
         fault_test::bytes_of(status) == count;
}

bool SmallFile::try_read(int64_t offset, int64_t count, int generation) const {
  Bytes found(static_cast<size_t>(count));
  return MPI_File_read_at(file_, offset, found.data(), static_cast<int>(count), MPI_BYTE,
                          MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         found == content(offset, count, generation);
}

void SmallFile::write(int64_t offset, int64_t count, int generation) {
  session_.expect(try_write(offset, count, generation), "write at " + std::to_string(offset));
}

void SmallFile::write_all(int64_t offset, int64_t count, int generation) {
  const Bytes bytes = content(offset, count, generation);
  ok(MPI_File_write_at_all(file_, offset, bytes.data(), static_cast<int>(count), MPI_BYTE,
                           MPI_STATUS_IGNORE),
     "write_at_all");
}

void SmallFile::compare(int64_t offset, const Bytes& found, const Bytes& wanted,
                        const std::string& what) {
  const size_t common = std::min(found.size(), wanted.size());
  const auto at =
      std::mismatch(found.begin(), found.begin() + static_cast<int64_t>(common), wanted.begin());
  const int64_t first = at.first - found.begin();
  session_.expect(found == wanted,
                  what + ": at " + std::to_string(offset) + " are " + std::to_string(found.size()) +
                      " bytes instead of " + std::to_string(wanted.size()) + ", right up to " +
                      std::to_string(first) +
                      (first < static_cast<int64_t>(common)
                           ? ", then " + std::to_string(found[static_cast<size_t>(first)]) +
                                 " instead of " + std::to_string(wanted[static_cast<size_t>(first)])
                           : ""));
}

void SmallFile::expect(int64_t offset, int64_t count, int generation, const std::string& what) {
  expect_bytes(offset, count, content(offset, count, generation), what);
}

void SmallFile::expect_bytes(int64_t offset, int64_t count, const Bytes& wanted,
                             const std::string& what) {
  Bytes found(static_cast<size_t>(count));
  MPI_Status status;
  ok(MPI_File_read_at(file_, offset, found.data(), static_cast<int>(count), MPI_BYTE, &status),
     "read_at: " + what);
  found.resize(static_cast<size_t>(std::max<int64_t>(0, fault_test::bytes_of(status))));
  compare(offset, found, wanted, what);
}

void SmallFile::expect_all(int64_t offset, int64_t count, int generation, const std::string& what) {
  Bytes found(static_cast<size_t>(count));
  MPI_Status status;
  ok(MPI_File_read_at_all(file_, offset, found.data(), static_cast<int>(count), MPI_BYTE, &status),
     "read_at_all: " + what);
  found.resize(static_cast<size_t>(std::max<int64_t>(0, fault_test::bytes_of(status))));
  compare(offset, found, content(offset, count, generation), what);
}

int64_t SmallFile::size() {
  MPI_Offset bytes = -1;
  ok(MPI_File_get_size(file_, &bytes), "get_size");
  return bytes;
}

void SmallFile::sync() { ok(MPI_File_sync(file_), "sync"); }

void SmallFile::sync_barrier_sync() {
  sync();
  MPI_Barrier(comm_);
  sync();
}

void SmallFile::close() { ok(MPI_File_close(&file_), "close"); }

}  // namespace independent_test
