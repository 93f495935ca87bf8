// Opening and removing names in CephFS.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "storage/ceph.h"

namespace longshore {

namespace {

std::string without_scheme(const std::string& path) {
  return path.substr(std::strlen(kCephPrefix));
}

int open_flags(const OpenOptions& options) {
  const int one_way = options.write ? O_WRONLY : O_RDONLY;
  return (options.read && options.write ? O_RDWR : one_way) | (options.create ? O_CREAT : 0) |
         (options.create && options.exclusive ? O_EXCL : 0);
}

// The library applies none. Asking umask() would change it for other threads for a moment.
mode_t process_umask() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "Umask:") {
      unsigned mask = 0;
      status >> std::oct >> mask;
      return static_cast<mode_t>(mask);
    }
  }
  return 022;
}

// Nothing works any more at a mount that Ceph has thrown out.
bool lost(int result) { return result == -ESHUTDOWN || result == -ENOTCONN; }

// Runs `call` at the process's mount; at a new one if the present one is found to be lost.
template <typename Call>
Result<int> at_mount(const std::string& what, Call call) {
  int result = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto mount = CephMount::shared();
    if (!mount) {
      return fail(std::move(mount.error()));
    }
    do {
      result = call(*mount);
    } while (result == -EINTR);
    if (!lost(result)) {
      break;
    }
    CephMount::drop(*mount);
  }
  if (result < 0) {
    return fail_errno(-result, what);
  }
  return result;
}

Status refuse_directory(const CephMount& mount, int file, const std::string& path) {
  CephStat info{};
  const int result = mount.call().fstatx(mount.handle(), file, &info, kCephStatMode, 0);
  if (result < 0) {
    return fail_errno(-result, "statx " + path);
  }
  if (S_ISDIR(info.mode)) {
    return fail_errno(EISDIR, "open " + path);
  }
  return {};
}

// The library asks for the right to search a folder before it asks whether it is one: a path that
// goes through a file is EACCES to it. True if `name` is such a path.
bool goes_through_file(const CephMount& mount, const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos || slash == 0) {
    return false;
  }
  const std::string parent = name.substr(0, slash);
  const int file = mount.call().open(mount.handle(), parent.c_str(), O_RDONLY, 0);
  if (file < 0) {
    return false;
  }
  CephStat info{};
  const int result = mount.call().fstatx(mount.handle(), file, &info, kCephStatMode, 0);
  (void)mount.call().close(mount.handle(), file);
  return result >= 0 && !S_ISDIR(info.mode);
}

}  // namespace

bool is_ceph_path(const std::string& path) { return path.starts_with(kCephPrefix); }

Result<std::unique_ptr<Storage>> open_ceph(const std::string& path, const OpenOptions& options) {
  if (!options.read && !options.write) {
    return fail(ErrorClass::kAmode, "open " + path + ": neither for reading nor for writing");
  }
  const std::string name = without_scheme(path);
  const mode_t mode = static_cast<mode_t>(options.permissions) & ~process_umask();
  std::shared_ptr<CephMount> used;
  const auto file = at_mount("open " + path, [&](const std::shared_ptr<CephMount>& mount) {
    used = mount;
    const int result = mount->call().open(mount->handle(), name.c_str(), open_flags(options), mode);
    return result == -EACCES && goes_through_file(*mount, name) ? -ENOTDIR : result;
  });
  if (!file) {
    return fail(file.error());
  }
  auto storage = std::make_unique<CephStorage>(used, *file, path, options);
  if (auto checked = refuse_directory(*used, *file, path); !checked) {
    return fail(checked.error());
  }
  return storage;
}

Status remove_ceph_file(const std::string& path) {
  const std::string name = without_scheme(path);
  const auto removed = at_mount("remove " + path, [&](const std::shared_ptr<CephMount>& mount) {
    return mount->call().unlink(mount->handle(), name.c_str());
  });
  if (!removed) {
    return fail(removed.error());
  }
  return {};
}

}  // namespace longshore
