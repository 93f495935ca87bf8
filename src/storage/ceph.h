// storage/ceph.h - files of CephFS through libcephfs, without a mount of the host.
//
// Names begin with "cephfs:", followed by the path within the file system. Clients of CephFS are
// coherent among each other: what one has written any other reads, so that MPI's rules for files
// hold between processes although each has a cache of its own.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "storage/ceph_locks.h"
#include "storage/ceph_mount.h"
#include "storage/storage.h"
#include "storage/worker_pool.h"

namespace longshore {

inline constexpr const char* kCephPrefix = "cephfs:";
[[nodiscard]] bool is_ceph_path(const std::string& path);

// open_storage() and remove_file() for names with the prefix; also with CephMount::shared()'s
// errors. New files get the process's umask.
[[nodiscard]] Result<std::unique_ptr<Storage>> open_ceph(const std::string& path,
                                                         const OpenOptions& options);
[[nodiscard]] Status remove_ceph_file(const std::string& path);

class CephStorage final : public Storage {
 public:
  // More than this is not moved by one call: the library copies what a call moves.
  static constexpr int64_t kMaxCallBytes = 64 << 20;

  // `file` is open at `mount` with `options`; `path` is for error messages.
  CephStorage(std::shared_ptr<CephMount> mount, int file, std::string path,
              const OpenOptions& options);
  // Closes without a word what close() did not.
  ~CephStorage() override;

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override;
  // Carried out by the WorkerPool.
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override;
  [[nodiscard]] Result<int64_t> size() override;
  [[nodiscard]] Status resize(int64_t size_bytes) override;
  // CephFS cannot reserve space (its fallocate only moves the end), so zeros are written behind
  // the present end; holes below it stay. After a failure the file may be longer than before.
  [[nodiscard]] Status allocate(int64_t size_bytes) override;
  // Behind it the storage servers have the bytes and the metadata server has the size.
  [[nodiscard]] Status sync() override;
  // Ranges, among all clients; as of posix, an exclusive lock needs a file open for writing (else
  // kAccess) and a shared one on a file open only for writing is taken as an exclusive one.
  [[nodiscard]] Status lock(Extent range, bool exclusive) override;
  void unlock(Extent range) override;
  // The library reads ahead by itself and takes no advice.
  void will_need(Extent) override {}
  void done_with(Extent) override {}
  // The library does not tell.
  [[nodiscard]] bool cached(int64_t) override { return false; }
  // With a sync() first if something was written: the cache dies with the process, not with the
  // host as a page cache does, and would take late errors with it; and with a size still to be told
  // to the metadata server, the next client to open the file was seen to wait for seconds.
  [[nodiscard]] Status close() override;
  [[nodiscard]] int64_t block_bytes() const override { return block_bytes_; }
  [[nodiscard]] std::string backend() const override { return "cephfs"; }
  [[nodiscard]] Result<std::string> attribute(const std::string& name) override;
  [[nodiscard]] Status set_attribute(const std::string& name, const std::string& value) override;
  // The number of the first (primary) OSD.
  [[nodiscard]] Result<int64_t> device_of(int64_t offset) override;

 private:
  [[nodiscard]] Status status_of(int result, const char* call) const;
  [[nodiscard]] std::string what(const char* call) const { return call + (" " + path_); }

  std::shared_ptr<CephMount> mount_;
  int file_;
  std::string path_;
  bool readable_;
  bool writable_;
  int64_t block_bytes_;
  std::atomic<bool> dirty_ = false;  // written to since the last sync()
  CephLocks locks_;
  WorkerShare workers_;
};

}  // namespace longshore
