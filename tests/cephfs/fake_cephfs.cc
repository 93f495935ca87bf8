// A stand-in for libcephfs over plain files: see fake_cephfs.h. Built three times: whole; BARE,
// without what the real library may lack; BROKEN, without something that has no substitute.
#include "fake_cephfs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "storage/ceph_library.h"

using longshore::CephInodeNumber;
using longshore::CephStat;
using longshore::testing_support::FakeCephfs;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace longshore {

struct CephHandle {
  std::map<std::string, std::string> options{{"client_mountpoint", "/"},
                                             {"client_mount_timeout", "300"}};
  std::map<std::string, bool> given;
  std::string root;
  bool ready = false;
  bool mounted = false;
};
struct CephPermissions {
  std::vector<gid_t> groups;
};
struct CephInode {
  int file;
};
struct CephOpenFile {
  int file;
};

}  // namespace longshore

using longshore::CephHandle;
using longshore::CephInode;
using longshore::CephOpenFile;
using longshore::CephPermissions;

namespace {

FakeCephfs& fake() {
  static auto* state = new FakeCephfs();
  return *state;
}

constexpr int64_t kStripeBytes = 4 << 20;
constexpr int kDevices = 3;

struct Files {
  std::mutex mutex;
  std::map<int, ino_t> open;
  std::map<std::pair<ino_t, std::string>, std::string> attributes;
};

Files& files() {
  static auto* state = new Files();
  return *state;
}

int result_of(int64_t result) { return result < 0 ? -errno : static_cast<int>(result); }

// Takes "--option=value"; "--default-option=value" only counts where nothing else was said.
void parse(CephHandle* handle, const std::string& word) {
  const size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string::npos) {
    return;
  }
  std::string option = word.substr(2, equals - 2);
  const bool weak = option.starts_with("default-");
  option = weak ? option.substr(8) : option;
  if (!weak || !handle->given[option]) {
    handle->options[option] = word.substr(equals + 1);
    handle->given[option] = handle->given[option] || !weak;
  }
}

bool interrupted() {
  static std::atomic<int64_t> calls{0};
  const int64_t every = fake().interrupt_every;
  return every > 0 && ++calls % every == 0;
}

std::string place(const CephHandle* handle, const char* path) { return handle->root + "/" + path; }

// Why a call cannot even begin; 0 if it can.
int obstacle(const CephHandle* handle) {
  if (!handle->mounted) {
    return -ENOTCONN;
  }
  return interrupted() ? -EINTR : 0;
}

int lost_or(const CephHandle* handle) {
  if (fake().lost_opens > 0) {
    --fake().lost_opens;
    return -ESHUTDOWN;
  }
  return obstacle(handle);
}

// The bytes of `wanted` that the switches let through at `offset`, or -errno.
int64_t allowed(int64_t wanted, int64_t offset, bool write) {
  ++fake().transfers;
  fake().longest_transfer = std::max<int64_t>(fake().longest_transfer, wanted);
  const int64_t most = fake().most_bytes;
  int64_t bytes = most > 0 ? std::min(wanted, most) : wanted;
  const int64_t full_at = fake().full_at;
  if (write && full_at > 0) {
    bytes = std::min(bytes, full_at - offset);
    return bytes <= 0 ? -ENOSPC : bytes;
  }
  return bytes;
}

int move(CephHandle* handle, int file, std::vector<iovec> memory, int64_t offset, bool write) {
  if (const int reason = obstacle(handle); reason != 0) {
    return reason;
  }
  int64_t wanted = 0;
  for (const iovec& part : memory) {
    wanted += static_cast<int64_t>(part.iov_len);
  }
  int64_t rest = allowed(wanted, offset, write);
  if (rest < 0) {
    return static_cast<int>(rest);
  }
  for (iovec& part : memory) {
    part.iov_len = std::min(part.iov_len, static_cast<size_t>(rest));
    rest -= static_cast<int64_t>(part.iov_len);
  }
  const int count = static_cast<int>(memory.size());
  return result_of(write ? pwritev(file, memory.data(), count, offset)
                         : preadv(file, memory.data(), count, offset));
}

ino_t inode_of(int file) {
  struct stat info {};
  return fstat(file, &info) == 0 ? info.st_ino : 0;
}

}  // namespace

EXPORT FakeCephfs* fake_cephfs() { return &fake(); }

EXPORT int ceph_create(CephHandle** handle, const char* id) {
  *handle = new CephHandle();
  ++fake().handles;
  const std::lock_guard guard(fake().mutex);
  fake().user = id == nullptr ? "-" : id;
  return 0;
}

EXPORT int ceph_release(CephHandle* handle) {
  delete handle;
  --fake().handles;
  return 0;
}

EXPORT int ceph_conf_read_file(CephHandle*, const char*) { return -ENOENT; }

EXPORT int ceph_conf_parse_env(CephHandle* handle, const char*) {
  const char* text = std::getenv("CEPH_ARGS");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    parse(handle, word);
  }
  return 0;
}

EXPORT int ceph_conf_parse_argv(CephHandle* handle, int count, const char** arguments) {
  for (int i = 1; i < count; ++i) {
    parse(handle, arguments[i]);
  }
  return 0;
}

EXPORT int ceph_conf_set(CephHandle* handle, const char* option, const char* value) {
  handle->options[option] = value;
  return 0;
}

EXPORT int ceph_conf_get(CephHandle* handle, const char* option, char* value, size_t bytes) {
  const std::string& text = handle->options[option];
  if (text.size() >= bytes) {
    return -ENAMETOOLONG;
  }
  std::memcpy(value, text.c_str(), text.size() + 1);
  return 0;
}

EXPORT int ceph_mount(CephHandle* handle, const char* root) {
  ++fake().mounts;
  const std::lock_guard guard(fake().mutex);
  fake().root = root;
  fake().options = handle->options;
  handle->root = root;
  handle->mounted = fake().mount_errno == 0;
  return -fake().mount_errno;
}

EXPORT int ceph_unmount(CephHandle* handle) {
  ++fake().unmounts;
  handle->mounted = false;
  return 0;
}

EXPORT int ceph_open(CephHandle* handle, const char* path, int flags, mode_t mode) {
  if (const int reason = lost_or(handle); reason != 0) {
    return reason;
  }
  fake().mode = static_cast<int>(mode);
  const int file = result_of(open(place(handle, path).c_str(), flags | O_CLOEXEC, mode));
  if (file >= 0) {
    const std::lock_guard guard(files().mutex);
    files().open[file] = inode_of(file);
  }
  return file;
}

EXPORT int ceph_close(CephHandle*, int file) {
  const std::lock_guard guard(files().mutex);
  files().open.erase(file);
  return result_of(close(file));
}

EXPORT int ceph_read(CephHandle* handle, int file, char* memory, int64_t bytes, int64_t offset) {
  return move(handle, file, {{memory, static_cast<size_t>(bytes)}}, offset, false);
}

EXPORT int ceph_write(CephHandle* handle, int file, const char* memory, int64_t bytes,
                      int64_t offset) {
  return move(handle, file, {{const_cast<char*>(memory), static_cast<size_t>(bytes)}}, offset,
              true);
}

EXPORT int ceph_ftruncate(CephHandle* handle, int file, int64_t size_bytes) {
  const int reason = obstacle(handle);
  return reason != 0 ? reason : result_of(ftruncate(file, size_bytes));
}

EXPORT int ceph_fsync(CephHandle* handle, int, int) {
  ++fake().flushes;
  const int reason = obstacle(handle);
  return reason != 0 ? reason : -fake().flush_errno;
}

#ifndef BROKEN
EXPORT int ceph_fstatx(CephHandle* handle, int file, CephStat* stat, unsigned, unsigned) {
  if (!handle->mounted) {
    return -ENOTCONN;
  }
  struct stat info {};
  if (fstat(file, &info) != 0) {
    return -errno;
  }
  stat->mode = static_cast<uint16_t>(info.st_mode);
  stat->inode = info.st_ino;
  stat->size_bytes = static_cast<uint64_t>(info.st_size);
  stat->block_bytes = kStripeBytes;
  return 0;
}
#endif

EXPORT int ceph_unlink(CephHandle* handle, const char* path) {
  const int reason = lost_or(handle);
  return reason != 0 ? reason : result_of(unlink(place(handle, path).c_str()));
}

EXPORT int ceph_fgetxattr(CephHandle*, int file, const char* name, void* value, size_t bytes) {
  const std::lock_guard guard(files().mutex);
  const auto found = files().attributes.find({inode_of(file), name});
  if (found == files().attributes.end()) {
    return -ENODATA;
  }
  if (found->second.size() > bytes) {
    return -ERANGE;
  }
  std::memcpy(value, found->second.data(), found->second.size());
  return static_cast<int>(found->second.size());
}

EXPORT int ceph_fsetxattr(CephHandle*, int file, const char* name, const void* value, size_t bytes,
                          int) {
  const std::lock_guard guard(files().mutex);
  files().attributes[{inode_of(file), name}].assign(static_cast<const char*>(value), bytes);
  return 0;
}

#ifndef BARE
EXPORT int ceph_preadv(CephHandle* handle, int file, const iovec* memory, int count,
                       int64_t offset) {
  return move(handle, file, {memory, memory + count}, offset, false);
}

EXPORT int ceph_pwritev(CephHandle* handle, int file, const iovec* memory, int count,
                        int64_t offset) {
  return move(handle, file, {memory, memory + count}, offset, true);
}

EXPORT int ceph_get_file_extent_osds(CephHandle*, int, int64_t offset, int64_t* length, int* osds,
                                     int room) {
  const int64_t stripe = offset / kStripeBytes;
  *length = (stripe + 1) * kStripeBytes - offset;
  for (int i = 0; i < std::min(room, 2); ++i) {
    osds[i] = static_cast<int>((stripe + i) % kDevices);
  }
  return 2;
}

EXPORT int ceph_init(CephHandle* handle) {
  handle->ready = fake().init_errno == 0;
  return -fake().init_errno;
}

EXPORT CephPermissions* ceph_userperm_new(uid_t, gid_t, int count, gid_t* groups) {
  return new CephPermissions{{groups, groups + count}};
}
EXPORT void ceph_userperm_destroy(CephPermissions* permissions) { delete permissions; }
// The real library takes it before as well, and forgets it.
EXPORT int ceph_mount_perms_set(CephHandle* handle, CephPermissions* permissions) {
  if (handle->ready) {
    const std::lock_guard guard(fake().mutex);
    fake().groups = permissions->groups;
  }
  return 0;
}
EXPORT CephPermissions* ceph_mount_perms(CephHandle*) { return nullptr; }

EXPORT CephInode* ceph_ll_get_inode(CephHandle*, CephInodeNumber number) {
  const std::lock_guard guard(files().mutex);
  for (const auto& [file, inode] : files().open) {
    if (inode == number.inode && number.snapshot == longshore::kCephNoSnapshot) {
      return new CephInode{file};
    }
  }
  return nullptr;
}

EXPORT int ceph_ll_put(CephHandle*, CephInode* inode) {
  delete inode;
  return 0;
}

EXPORT int ceph_ll_open(CephHandle*, CephInode* inode, int flags, CephOpenFile** file,
                        const CephPermissions*) {
  const std::string same = "/proc/self/fd/" + std::to_string(inode->file);
  const int opened = result_of(open(same.c_str(), flags | O_CLOEXEC));
  if (opened >= 0) {
    *file = new CephOpenFile{opened};
  }
  return opened < 0 ? opened : 0;
}

EXPORT int ceph_ll_close(CephHandle*, CephOpenFile* file) {
  const int result = result_of(close(file->file));
  delete file;
  return result;
}

EXPORT int ceph_ll_setlk(CephHandle* handle, CephOpenFile* file, struct flock* region, uint64_t,
                         int wait) {
  const int reason = obstacle(handle);
  return reason != 0 ? reason
                     : result_of(fcntl(file->file, wait != 0 ? F_OFD_SETLKW : F_OFD_SETLK, region));
}
#endif
