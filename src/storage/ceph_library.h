// storage/ceph_library.h - the functions of libcephfs that are used, found at run time.
//
// Neither header nor library of Ceph is needed to build: what the binary interface demands is
// defined here. It is that of libcephfs.so.2, compared with the header of Ceph 16.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>

#include "core/result.h"

namespace longshore {

// Opaque to us.
struct CephHandle;       // ceph_mount_info
struct CephPermissions;  // UserPerm
struct CephInode;        // Inode
struct CephOpenFile;     // Fh

// ceph_statx, with room behind it for fields that later versions may fill in.
struct CephStat {
  uint32_t mask;
  uint32_t block_bytes;
  uint32_t link_count;
  uint32_t user;
  uint32_t group;
  uint16_t mode;
  uint64_t inode;
  uint64_t size_bytes;
  uint64_t blocks;
  dev_t device;
  dev_t special_device;
  timespec accessed;
  timespec changed;
  timespec modified;
  timespec born;
  uint64_t version;
  std::byte reserved[376];
};
static_assert(sizeof(dev_t) == 8 && sizeof(timespec) == 16);
static_assert(offsetof(CephStat, mode) == 20 && offsetof(CephStat, inode) == 24);
static_assert(offsetof(CephStat, size_bytes) == 32 && offsetof(CephStat, device) == 48);
static_assert(offsetof(CephStat, version) == 128 && sizeof(CephStat) == 512);

// What of a CephStat is wanted: bits of `mask`.
inline constexpr unsigned kCephStatMode = 0x001;
inline constexpr unsigned kCephStatInode = 0x100;
inline constexpr unsigned kCephStatSize = 0x200;

// vinodeno_t; handed over by value, in two registers.
struct CephInodeNumber {
  uint64_t inode;
  uint64_t snapshot;
};
static_assert(sizeof(CephInodeNumber) == 16);
inline constexpr uint64_t kCephNoSnapshot = static_cast<uint64_t>(-2);

// Each returns -errno on failure. Those behind `optional` are null if the library lacks them.
struct CephFunctions {
  int (*create)(CephHandle**, const char* id);
  int (*release)(CephHandle*);
  int (*conf_read_file)(CephHandle*, const char* paths);
  int (*conf_parse_env)(CephHandle*, const char* variable);
  int (*conf_parse_argv)(CephHandle*, int count, const char** arguments);
  int (*conf_set)(CephHandle*, const char* option, const char* value);
  int (*conf_get)(CephHandle*, const char* option, char* value, size_t bytes);
  int (*mount)(CephHandle*, const char* root);
  int (*unmount)(CephHandle*);
  int (*open)(CephHandle*, const char* path, int flags, mode_t mode);
  int (*close)(CephHandle*, int file);
  int (*read)(CephHandle*, int file, char* memory, int64_t bytes, int64_t offset);
  int (*write)(CephHandle*, int file, const char* memory, int64_t bytes, int64_t offset);
  int (*ftruncate)(CephHandle*, int file, int64_t size_bytes);
  int (*fsync)(CephHandle*, int file, int only_data);
  int (*fstatx)(CephHandle*, int file, CephStat*, unsigned want, unsigned flags);
  int (*unlink)(CephHandle*, const char* path);
  int (*fgetxattr)(CephHandle*, int file, const char* name, void* value, size_t bytes);
  int (*fsetxattr)(CephHandle*, int file, const char* name, const void* value, size_t bytes,
                   int flags);

  struct Optional {
    int (*preadv)(CephHandle*, int file, const iovec*, int count, int64_t offset);
    int (*pwritev)(CephHandle*, int file, const iovec*, int count, int64_t offset);
    int (*get_file_extent_osds)(CephHandle*, int file, int64_t offset, int64_t* length, int* osds,
                                int room);
    // Who the process is to Ceph; to be said between init and mount.
    int (*init)(CephHandle*);
    CephPermissions* (*userperm_new)(uid_t, gid_t, int count, gid_t* groups);
    void (*userperm_destroy)(CephPermissions*);
    int (*mount_perms_set)(CephHandle*, CephPermissions*);
    CephPermissions* (*mount_perms)(CephHandle*);
    // Locks of ranges are known to this part of the interface only.
    CephInode* (*ll_get_inode)(CephHandle*, CephInodeNumber);
    int (*ll_put)(CephHandle*, CephInode*);
    int (*ll_open)(CephHandle*, CephInode*, int flags, CephOpenFile**, const CephPermissions*);
    int (*ll_close)(CephHandle*, CephOpenFile*);
    int (*ll_setlk)(CephHandle*, CephOpenFile*, struct flock*, uint64_t owner, int wait);
  } optional;

  [[nodiscard]] bool has_locks() const {
    return optional.mount_perms != nullptr && optional.ll_get_inode != nullptr &&
           optional.ll_put != nullptr && optional.ll_open != nullptr &&
           optional.ll_close != nullptr && optional.ll_setlk != nullptr;
  }
};

// Loads the library that LONGSHORE_LIBCEPHFS names, else libcephfs.so.2, and keeps it loaded until
// the process ends: its threads and static objects do not bear unloading. kUnsupportedOperation if
// there is none or it lacks a function that has no substitute.
[[nodiscard]] Result<CephFunctions> load_ceph_library();

}  // namespace longshore
