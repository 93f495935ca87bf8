// storage/gpfs.h - files on GPFS (Storage Scale): prefetching and data shipping by its own call.
//
// GPFS takes "multiple access ranges" by gpfs_fcntl(): up to 8 blocks that will be read soon, and
// up to 8 that are done with. What it accepts must be released, else it stops prefetching the file.
//
// "Data shipping" (prost-2000, section 2.2) was part of GPFS up to version 3 at least: each block
// is accessed by one node, to which GPFS sends what others read and write there. It is gone from
// the headers of version 5.
//
// The vendor's library is loaded at run time; where it is missing, a file is an ordinary one.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "storage/posix.h"

namespace longshore {

// The vendor's library, loaded once and never unloaded.
class GpfsLibrary {
 public:
  // Null if there is no such library or it lacks gpfs_fcntl.
  [[nodiscard]] static std::unique_ptr<GpfsLibrary> load(const std::string& path);
  // libgpfs.so; null where there is none. Looked for at the first call.
  [[nodiscard]] static const GpfsLibrary* of_system();

  // gpfs_fcntl(): 0, or -1 with errno set.
  [[nodiscard]] int fcntl(int fd, void* argument) const { return function_(fd, argument); }

 private:
  using Function = int (*)(int, void*);
  explicit GpfsLibrary(Function function) : function_(function) {}
  Function function_;
};

// True if the file lies on GPFS.
[[nodiscard]] bool is_on_gpfs(int fd);

class GpfsStorage final : public PosixStorage {
 public:
  // `library` outlives this.
  GpfsStorage(FileDescriptor file, std::string path, const OpenOptions& options,
              const GpfsLibrary& library)
      : PosixStorage(std::move(file), std::move(path), options), library_(library) {}

  void will_need(Extent range) override;
  void done_with(Extent range) override;
  [[nodiscard]] bool can_ship_data() const override { return true; }
  [[nodiscard]] Status start_data_shipping(const DataShipping& terms) override;
  [[nodiscard]] Status stop_data_shipping() override;
  [[nodiscard]] std::string backend() const override { return "posix+gpfs"; }

 private:
  // A part of a block.
  struct BlockRange {
    int64_t block = 0;
    int32_t begin = 0;
    int32_t length = 0;
  };
  [[nodiscard]] std::vector<BlockRange> blocks_of(Extent range) const;
  // Gives a directive, again if a signal came in between: it then was not carried out anywhere.
  [[nodiscard]] Status direct(std::vector<int32_t> image, const char* what) const;
  // Both at most 8. How many of the first were taken.
  int tell(const std::vector<BlockRange>& wanted, const std::vector<BlockRange>& released);

  const GpfsLibrary& library_;
  std::mutex mutex_;
  std::map<int64_t, BlockRange> accepted_;  // and not yet released, by block
};

}  // namespace longshore
