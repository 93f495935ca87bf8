#include "storage_test_support.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace longshore::testing_support {

namespace {

namespace fs = std::filesystem;

constexpr const char* kScratchName = "longshore_storage_";

// Removes what runs that were killed have left below `parent`: no live process has it locked. A
// young folder may be one whose owner is about to lock it.
void sweep(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (!entry.path().filename().string().starts_with(kScratchName) ||
        age < std::chrono::minutes(1)) {
      continue;
    }
    const int folder = open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0) {
      fs::remove_all(entry.path(), ignored);
    }
    close(folder);
  }
}

}  // namespace

ScratchDir::ScratchDir(const std::string& parent) : path_(parent + "/" + kScratchName + "XXXXXX") {
  static std::set<std::string> swept;
  if (swept.insert(parent).second) {
    sweep(parent);
  }
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
  fs::permissions(path_, fs::perms(0755));
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  flock(lock_, LOCK_EX | LOCK_NB);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

std::string temp_parent() { return fs::temp_directory_path().string(); }

OpenOptions read_write() {
  OpenOptions options;
  options.write = true;
  options.create = true;
  return options;
}

Bytes random_bytes(std::mt19937& random, size_t count) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random());
  }
  return bytes;
}

Bytes filled(size_t count, int value) { return Bytes(count, static_cast<std::byte>(value)); }

Bytes contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

ChildResult in_child(const std::function<ChildResult()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a hang is a failure
    _exit(static_cast<int>(body()));
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child || !WIFEXITED(state)) {
    return ChildResult::kFailed;
  }
  switch (WEXITSTATUS(state)) {
    case static_cast<int>(ChildResult::kPassed): return ChildResult::kPassed;
    case static_cast<int>(ChildResult::kSkipped): return ChildResult::kSkipped;
    default: return ChildResult::kFailed;
  }
}

namespace {

// A mount space of our own; who is not root needs a user space too, in which he keeps his ids.
bool enter_private_mounts() {
  if (geteuid() == 0) {
    return unshare(CLONE_NEWNS) == 0;
  }
  const std::string user = std::to_string(geteuid());
  const std::string group = std::to_string(getegid());
  if (unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0) {
    return false;
  }
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
  std::ofstream("/proc/self/gid_map") << group << " " << group << " 1";
  return true;
}

}  // namespace

bool mount_private_tmpfs(const std::string& folder, const std::string& options) {
  return enter_private_mounts() && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

bool deny_system_call(int number, int sys_errno, std::optional<uint32_t> second_argument) {
  const uint32_t refuse = SECCOMP_RET_ERRNO | static_cast<uint32_t>(sys_errno);
  const auto load = static_cast<uint16_t>(BPF_LD | BPF_W | BPF_ABS);
  const auto equal = static_cast<uint16_t>(BPF_JMP | BPF_JEQ | BPF_K);
  const auto end = static_cast<uint16_t>(BPF_RET | BPF_K);
  // The second comparison is skipped (its match is assumed) without a second argument.
  const uint32_t argument_at = offsetof(seccomp_data, args) + sizeof(uint64_t);
  const uint8_t on_other = second_argument ? 1 : 0;
  sock_filter program[] = {
      BPF_STMT(load, offsetof(seccomp_data, nr)),
      BPF_JUMP(equal, static_cast<uint32_t>(number), 0, 3),
      BPF_STMT(load, argument_at),
      BPF_JUMP(equal, second_argument.value_or(0), 0, on_other),
      BPF_STMT(end, refuse),
      BPF_STMT(end, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

std::string fake_ceph_library(const std::string& which) {
  return std::string(FAKE_CEPHFS_PREFIX) + which + ".so";
}

FakeCephfs* use_ceph_library(const std::string& library) {
  release_idle_storage();
  if (library.empty()) {
    unsetenv("LONGSHORE_LIBCEPHFS");
    return nullptr;
  }
  setenv("LONGSHORE_LIBCEPHFS", library.c_str(), 1);
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const find = loaded == nullptr ? nullptr : dlsym(loaded, "fake_cephfs");
  return find == nullptr ? nullptr : reinterpret_cast<FakeCephfs* (*)()>(find)();
}

}  // namespace longshore::testing_support
