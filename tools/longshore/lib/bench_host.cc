#include "lib/bench_host.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>

namespace longshore::cli {

namespace fs = std::filesystem;

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
  const fs::path draft = path.string() + ".new";
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  std::error_code failed;
  if (file) {
    fs::rename(draft, path, failed);
  }
  if (!file || failed) {
    return fail_errno(failed ? failed.value() : EIO, path.string());
  }
  return {};
}

double RealBenchHost::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace longshore::cli
