// storage/storage.h - one open file on some medium.
//
// The one door to bytes on disk: engines describe transfers as values and never call the operating
// system. Backends: posix, io_uring, cephfs; faulty and recording wrap another one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/extent.h"
#include "core/result.h"

namespace longshore {

// One contiguous piece of a transfer: `length` bytes between memory and file offset `offset`.
struct IoPiece {
  int64_t offset = 0;
  std::byte* memory = nullptr;  // writes only read it
  int64_t length = 0;
};

enum class IoKind { kRead, kWrite };

// A transfer in flight. wait() may be called once; destroying a handle that was not waited for
// waits and drops the outcome, so that the memory stays valid while the backend uses it.
class PendingIo {
 public:
  virtual ~PendingIo() = default;
  virtual Outcome wait() = 0;
  // True if wait() would return at once, as far as can be told. Not after wait().
  [[nodiscard]] virtual bool ready() { return true; }
  // When the transfer ended, on the machine's monotonic clock; 0 if the backend cannot tell. After
  // wait().
  [[nodiscard]] virtual int64_t finished_ns() const { return 0; }
};

struct OpenOptions {
  bool read = true;
  bool write = false;
  bool create = false;
  bool exclusive = false;
  int permissions = 0666;
};

// How a medium that ships data between its nodes by itself is to do that; the same for all openers.
struct DataShipping {
  int32_t openers = 1;          // open instances of the file: each starts and stops shipping
  int32_t partition_bytes = 0;  // contiguous bytes of an agent, a multiple of the medium's block
  std::vector<int32_t>
      agents;  // partitions go to these nodes in turn, by the medium's own numbers;
               // empty: to all nodes of openers, in an order of its choice
};

// All methods may be called by several threads at once. Interrupted and short transfers are
// retried inside; a read is short only at end of file.
class Storage {
 public:
  virtual ~Storage() = default;

  // Moves the pieces in the order given and stops at the first that fails or, for a read, that
  // meets the end of the file. Outcome::bytes counts the bytes of the longest fully moved prefix.
  // Pieces that adjoin in the file are joined to few system calls. Zero-length pieces are legal.
  virtual Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) = 0;

  // Starts a transfer with transfer()'s contract and returns at once. Memory and the piece list
  // (copied if the backend needs it longer) must stay valid until wait() returns.
  virtual std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) = 0;

  [[nodiscard]] virtual Result<int64_t> size() = 0;
  [[nodiscard]] virtual Status resize(int64_t size_bytes) = 0;

  // Space for [0, size_bytes) is on the medium afterwards and the file is at least that long; bytes
  // already there keep their values, whoever writes them meanwhile. Fails with
  // kUnsupportedOperation, and has done nothing, where the medium cannot do that: see zero_fill.h.
  [[nodiscard]] virtual Status allocate(int64_t size_bytes) = 0;

  // Returns when what was written so far is on stable storage.
  [[nodiscard]] virtual Status sync() = 0;

  // Advisory lock against other openers, other processes and other hosts where the file system
  // has such; blocks until granted. Locks belong to this Storage, not to a thread. Overlapping
  // locks taken through one Storage do not exclude each other: callers keep their own order.
  [[nodiscard]] virtual Status lock(Extent range, bool exclusive) = 0;
  virtual void unlock(Extent range) = 0;

  // Advice: `range` will be read soon and may be fetched meanwhile. Returns at once and never
  // fails; what the medium cannot take is dropped. No byte of the file changes.
  virtual void will_need(Extent range) = 0;

  // Advice: this caller will not come back to `range`, which will_need() announced. Lets go of what
  // the medium keeps for this file's opener alone, such as the access ranges of GPFS. On plain file
  // systems it does nothing: the page cache is shared, and others may want the pages.
  virtual void done_with(Extent range) = 0;

  // True if the byte at `offset` is known to be in memory, so that reading it waits for no medium;
  // false also if that cannot be told. May start fetching it. About the cost of a small read.
  [[nodiscard]] virtual bool cached(int64_t offset) = 0;

  // Releases the file; the object is unusable afterwards. Errors the medium kept until now (as
  // NFS may) are reported.
  [[nodiscard]] virtual Status close() = 0;

  // Preferred transfer granularity in bytes (st_blksize), at least 1.
  [[nodiscard]] virtual int64_t block_bytes() const = 0;

  // The backend in effect, such as "posix"; differs from the one asked for after a fallback.
  // Wrappers name themselves first: "faulty(posix)".
  [[nodiscard]] virtual std::string backend() const = 0;

  // The value of one of the file's extended attributes, such as "ceph.file.layout".
  // kUnsupportedOperation if the file has none of that name, or the medium none at all.
  [[nodiscard]] virtual Result<std::string> attribute(const std::string& name);
  // Sets one, made if missing. kUnsupportedOperation as above; media have rules of their own on
  // what may be set and when.
  [[nodiscard]] virtual Status set_attribute(const std::string& name, const std::string& value);

  // The number, in the medium's own counting, of the device or server that holds or would hold the
  // byte at `offset`, which need not have been written. kUnsupportedOperation if that cannot be
  // told.
  [[nodiscard]] virtual Result<int64_t> device_of(int64_t offset);

  // Data shipping by the medium: each partition is read and written by one node only, whoever asks.
  // False if the medium has no such thing; true is no promise that it is not refused.
  [[nodiscard]] virtual bool can_ship_data() const { return false; }
  // Collective over all openers: waits until each has called it. Atomicity of transfers that cross
  // partitions is the callers' business from then on.
  [[nodiscard]] virtual Status start_data_shipping(const DataShipping& terms);
  // Collective likewise, before close(); what was written is on the medium afterwards.
  [[nodiscard]] virtual Status stop_data_shipping();

  // Helpers over transfer() for one piece.
  Outcome write_at(int64_t offset, std::span<const std::byte> data);
  Outcome read_at(int64_t offset, std::span<std::byte> data);
};

// Opens `path`; a directory fails with kBadFile, a pipe with kUnsupportedOperation. `backend` is
// "posix", "io_uring" or "auto" (today: posix). An unknown name fails with kInvalidArgument; a
// backend that the kernel refuses falls back to posix. If the process has a file size limit
// (RLIMIT_FSIZE) and SIGXFSZ its default action, the signal is ignored from the first open for
// writing on, so that meeting the limit is an error (kIo, EFBIG) instead of the end of the process.
//
// "cephfs:/a/b" is /a/b within CephFS, whatever the backend (storage/ceph.h has the errors that are
// its own). A local file of such a name is "./cephfs:/a/b".
[[nodiscard]] Result<std::unique_ptr<Storage>> open_storage(const std::string& path,
                                                            const OpenOptions& options,
                                                            const std::string& backend);

// Removes a name. Fails with kNoSuchFile, kAccess, kBadFile (a directory), ...
[[nodiscard]] Status remove_file(const std::string& path);

// Lets go of what backends keep for the next file, such as a connection: called when the program is
// done with files. Files that are open are not touched, and more may be opened.
void release_idle_storage();

}  // namespace longshore
