// storage/posix.h - files through plain system calls. Made by open_storage().
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "storage/storage.h"
#include "storage/worker_pool.h"

namespace longshore {

// Owns a file descriptor. A destructor cannot fail: it closes without a word what close() did not.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Opens a file, with open_storage()'s errors and its care for the file size limit.
[[nodiscard]] Result<FileDescriptor> open_file(const std::string& path, const OpenOptions& options);

// remove_file() for what the operating system knows by that name.
[[nodiscard]] Status remove_local_file(const std::string& path);

class PosixStorage : public Storage {
 public:
  // `path` is for error messages; `options` are those the file was opened with.
  PosixStorage(FileDescriptor file, std::string path, const OpenOptions& options);
  // REQUIRES: every handle from start() was waited for or destroyed.
  ~PosixStorage() override = default;

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  // Carried out by the WorkerPool.
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;
  [[nodiscard]] Result<int64_t> size() override;
  [[nodiscard]] Status resize(int64_t size_bytes) override;
  // Where the file system cannot allocate, zeros are written behind the present end; holes below
  // it stay. After a failure the file may be longer than before.
  [[nodiscard]] Status allocate(int64_t size_bytes) override;
  // Files that cannot be synchronised, such as /dev/null, succeed.
  [[nodiscard]] Status sync() override;
  // Open file description locks; where the kernel lacks them, process locks. An exclusive lock
  // needs a file open for writing (else kAccess). kUnsupportedOperation where the file system has
  // no locks. A shared lock on a file open only for writing is taken as an exclusive one.
  [[nodiscard]] Status lock(Extent range, bool exclusive) override;
  void unlock(Extent range) override;
  void will_need(Extent range) override;
  void done_with(Extent) override {}
  // Asks the page cache by a read that must not wait; files of tmpfs are memory.
  [[nodiscard]] bool cached(int64_t offset) override;
  [[nodiscard]] Status close() override;
  [[nodiscard]] int64_t block_bytes() const override { return block_bytes_; }
  [[nodiscard]] std::string backend() const override { return "posix"; }
  [[nodiscard]] Result<std::string> attribute(const std::string& name) override;
  [[nodiscard]] Status set_attribute(const std::string& name, const std::string& value) override;

 protected:
  [[nodiscard]] int fd() const { return file_.get(); }
  [[nodiscard]] std::unique_ptr<PendingIo> run_on_worker(std::function<Outcome()> task) {
    return workers_.run(std::move(task));
  }
  // Names the file in the outcome's error, if there is one.
  [[nodiscard]] Outcome with_path(Outcome outcome) const;

 private:
  [[nodiscard]] std::string what(const char* call) const { return call + (" " + path_); }

  FileDescriptor file_;
  std::string path_;
  bool readable_;
  bool writable_;
  int64_t block_bytes_;
  WorkerShare workers_;
};

}  // namespace longshore
