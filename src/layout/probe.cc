#include "layout/probe.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "layout/image.h"
#include "storage/posix.h"

namespace longshore {

namespace {

// struct ceph_ioctl_dataloc of the kernel's client (fs/ceph/ioctl.h):
//     0 u64 file_offset (in)   8 u64 object_offset   16 u64 object_no   24 u64 object_size
//    32 char object_name[64]  96 u64 block_offset   104 u64 block_size
//   112 s64 osd              120 sockaddr_storage osd_addr (128 bytes)
constexpr size_t kDatalocBytes = 248;
constexpr size_t kDatalocOsd = 112;
constexpr unsigned long kGetDataloc = _IOC(_IOC_READ | _IOC_WRITE, 0x97, 3, kDatalocBytes);

class SystemFile final : public ProbedFile {
 public:
  SystemFile(FileDescriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  Status control(unsigned long request, std::span<std::byte> argument) override {
    int result = ioctl(file_.get(), request, argument.data());
    while (result < 0 && errno == EINTR) {
      result = ioctl(file_.get(), request, argument.data());
    }
    return result < 0 ? Status(fail_errno(errno, "ioctl " + path_)) : Status{};
  }

  Result<std::string> attribute(const std::string& name) override {
    std::array<char, 4096> value{};
    const ssize_t length = fgetxattr(file_.get(), name.c_str(), value.data(), value.size());
    if (length < 0) {
      return fail_errno(errno, "attribute " + name + " of " + path_);
    }
    return std::string(value.data(), static_cast<size_t>(length));
  }

  Status set_attribute(const std::string& name, const std::string& value) override {
    if (fsetxattr(file_.get(), name.c_str(), value.data(), value.size(), 0) != 0) {
      return fail_errno(errno, "attribute " + name + " of " + path_);
    }
    return {};
  }

 private:
  FileDescriptor file_;
  std::string path_;
};

Result<std::unique_ptr<ProbedFile>> opened(const std::string& path, int flags, int permissions) {
  const auto mode = static_cast<mode_t>(permissions);
  int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  while (fd < 0 && errno == EINTR) {
    fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  }
  if (fd < 0) {
    return fail_errno(errno, "open " + path);
  }
  return std::make_unique<SystemFile>(FileDescriptor(fd), path);
}

class SystemProbe final : public Probe {
 public:
  Result<FileSystemFacts> file_system(const std::string& path) override {
    struct statfs facts {};
    if (statfs(path.c_str(), &facts) != 0) {
      return fail_errno(errno, "statfs " + path);
    }
    // f_type is signed on some systems, with 32 bits that matter.
    return FileSystemFacts{static_cast<uint32_t>(facts.f_type),
                           std::max<int64_t>(1, static_cast<int64_t>(facts.f_bsize))};
  }

  // A file that may only be written answers as well.
  Result<std::unique_ptr<ProbedFile>> open(const std::string& path) override {
    auto file = opened(path, O_RDONLY | O_NONBLOCK, 0);
    if (!file && file.error().sys_errno == EACCES) {
      return opened(path, O_WRONLY | O_NONBLOCK, 0);
    }
    return file;
  }

  Result<std::unique_ptr<ProbedFile>> create(const std::string& path, int extra_flags,
                                             int permissions) override {
    return opened(path, O_WRONLY | O_CREAT | O_EXCL | extra_flags, permissions);
  }

  // umask(2) can only be read by changing it, which other threads would notice.
  int denied_permissions() override {
    constexpr int kUsual = 022;
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("Umask:", 0) == 0) {
        return static_cast<int>(std::strtol(line.c_str() + 6, nullptr, 8));
      }
    }
    return kUsual;
  }
};

}  // namespace

Result<int32_t> ProbedFile::device_at(int64_t offset) {
  std::array<std::byte, kDatalocBytes> place{};
  put(std::span<std::byte>(place), 0, static_cast<uint64_t>(offset));
  if (auto asked = control(kGetDataloc, place); !asked) {
    return fail(asked.error());
  }
  const auto osd = ImageReader(place).at<int64_t>(kDatalocOsd);
  if (osd < 0 || osd > INT32_MAX) {
    return fail(ErrorClass::kOther, "no device holds the place");
  }
  return static_cast<int32_t>(osd);
}

Probe& system_probe() {
  static auto* probe = new SystemProbe;
  return *probe;
}

}  // namespace longshore
