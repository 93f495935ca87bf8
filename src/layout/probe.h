// layout/probe.h - what layouts ask of the operating system: the one door to it, so that tests can
// stand in for file systems that are not at hand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/result.h"

namespace longshore {

// A file or folder, open for questions. Errors are those of the system call, with its errno.
class ProbedFile {
 public:
  virtual ~ProbedFile() = default;

  // ioctl(). `argument` is what the request reads and writes.
  [[nodiscard]] virtual Status control(unsigned long request, std::span<std::byte> argument) = 0;

  [[nodiscard]] virtual Result<std::string> attribute(const std::string& name) = 0;
  [[nodiscard]] virtual Status set_attribute(const std::string& name, const std::string& value) = 0;

  // The number of the device that holds the byte at `offset`, or would, where placement is not a
  // rule: CephFS. Asks the kernel's client by control().
  [[nodiscard]] virtual Result<int32_t> device_at(int64_t offset);
};

struct FileSystemFacts {
  uint64_t magic = 0;       // statfs' f_type
  int64_t block_bytes = 1;  // statfs' f_bsize
};

class Probe {
 public:
  virtual ~Probe() = default;

  [[nodiscard]] virtual Result<FileSystemFacts> file_system(const std::string& path) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ProbedFile>> open(const std::string& path) = 0;
  // Makes a file that was not there, for writing, with open(2)'s `extra_flags` besides. Fails with
  // kFileExists if it was.
  [[nodiscard]] virtual Result<std::unique_ptr<ProbedFile>> create(const std::string& path,
                                                                   int extra_flags,
                                                                   int permissions) = 0;
  // The permissions that new files of this process do not get.
  [[nodiscard]] virtual int denied_permissions() = 0;
};

// The real one. Any thread may use it at any time.
[[nodiscard]] Probe& system_probe();

}  // namespace longshore
