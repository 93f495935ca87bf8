#include "lib/bench_host.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

namespace longshore::cli {

namespace fs = std::filesystem;

namespace {

// What is written first and then takes the place of `path`. Links and devices stay what they are:
// they are written themselves.
fs::path draft_of(const fs::path& path) {
  std::error_code ignored;
  const auto kind = fs::symlink_status(path, ignored).type();
  const bool replaced = kind == fs::file_type::regular || kind == fs::file_type::not_found;
  return replaced ? path.string() + ".new" : path.string();
}

// 0, or the errno of opening `path` for writing; what is there stays, what is made goes.
int errno_of_writing(const fs::path& path) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool made = fd >= 0;
  if (!made && errno == EEXIST) {
    fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (fd < 0) {
    return errno;
  }
  close(fd);
  if (made) {
    unlink(path.c_str());
  }
  return 0;
}

Status misuse_unless(int sys_errno, const std::string& option, const fs::path& path) {
  if (sys_errno == 0) {
    return {};
  }
  return fail(ErrorClass::kInvalidArgument,
              option + " " + path.string() + ": " + std::strerror(sys_errno));
}

}  // namespace

ProcessResult RealBenchHost::run(const ProcessRequest& request) { return run_process(request); }

void RealBenchHost::prepare(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  struct statfs facts {};
  if (statfs(file.parent_path().c_str(), &facts) == 0 && facts.f_type != TMPFS_MAGIC) {
    const int fd = open(file.parent_path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      (void)syncfs(fd);
      close(fd);
    }
  }
}

Status RealBenchHost::make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    return fail_errno(failed.value(), folder.string());
  }
  return {};
}

Status RealBenchHost::write_file(const fs::path& path, const std::string& text) {
  const fs::path draft = draft_of(path);
  errno = 0;
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  const int why = errno != 0 ? errno : EIO;
  std::error_code failed;
  if (file && draft != path) {
    fs::rename(draft, path, failed);
  }
  if (!file || failed) {
    return fail_errno(failed ? failed.value() : why, path.string());
  }
  return {};
}

double RealBenchHost::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Status check_replaceable(const std::string& option, const fs::path& path) {
  std::error_code ignored;
  const int why = fs::is_directory(path, ignored) ? EISDIR : errno_of_writing(draft_of(path));
  return misuse_unless(why, option, path);
}

Status check_writable(const std::string& option, const fs::path& path) {
  return misuse_unless(errno_of_writing(path), option, path);
}

}  // namespace longshore::cli
