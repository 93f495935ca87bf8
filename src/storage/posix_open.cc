// Opening and removing names.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "storage/posix.h"

namespace longshore {

namespace {

int access_flags(const OpenOptions& options) {
  if (options.read && options.write) {
    return O_RDWR;
  }
  return options.write ? O_WRONLY : O_RDONLY;
}

int open_flags(const OpenOptions& options) {
  return access_flags(options) | (options.create ? O_CREAT : 0) |
         (options.create && options.exclusive ? O_EXCL : 0) | O_CLOEXEC | O_NOCTTY;
}

void make_size_limit_an_error() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  struct sigaction present {};
  if (sigaction(SIGXFSZ, nullptr, &present) == 0 && present.sa_handler == SIG_DFL) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, nullptr);
  }
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<FileDescriptor> open_file(const std::string& path, const OpenOptions& options) {
  if (!options.read && !options.write) {
    return fail(ErrorClass::kAmode, "open " + path + ": neither for reading nor for writing");
  }
  const auto mode = static_cast<mode_t>(options.permissions);
  int fd = ::open(path.c_str(), open_flags(options), mode);
  while (fd < 0 && errno == EINTR) {
    fd = ::open(path.c_str(), open_flags(options), mode);
  }
  if (fd < 0) {
    return fail_errno(errno, "open " + path);
  }
  FileDescriptor file(fd);
  struct stat info {};
  if (fstat(fd, &info) != 0) {
    return fail_errno(errno, "fstat " + path);
  }
  if (S_ISDIR(info.st_mode)) {
    return fail_errno(EISDIR, "open " + path);
  }
  if (lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE) {
    return fail(ErrorClass::kUnsupportedOperation, "open " + path + ": a stream has no offsets");
  }
  if (options.write) {
    make_size_limit_an_error();
  }
  return file;
}

Status remove_local_file(const std::string& path) {
  if (unlink(path.c_str()) == 0) {
    return {};
  }
  // Linux says EISDIR for a directory, other systems EPERM.
  const int reason = errno == EPERM && is_directory(path) ? EISDIR : errno;
  return fail_errno(reason, "remove " + path);
}

}  // namespace longshore
