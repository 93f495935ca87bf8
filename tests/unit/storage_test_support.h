// What the storage tests share: a scratch folder, child processes, system calls that fail.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cephfs/fake_cephfs.h"
#include "storage/storage.h"

namespace longshore::testing_support {

using Bytes = std::vector<std::byte>;

// A folder of its own below `parent`, removed with all it holds at the end; if the process is
// killed before, by the next run.
class ScratchDir {
 public:
  explicit ScratchDir(const std::string& parent);
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& leaf) const { return path_ + "/" + leaf; }

 private:
  std::string path_;
  int lock_ = -1;
};

// The system's folder for temporary files.
[[nodiscard]] std::string temp_parent();

// For reading and writing, made if missing.
[[nodiscard]] OpenOptions read_write();

[[nodiscard]] Bytes random_bytes(std::mt19937& random, size_t count);
[[nodiscard]] Bytes filled(size_t count, int value);

// The whole file, read without the library.
[[nodiscard]] Bytes contents(const std::string& path);

// Runs `body` in a child process; true if it returned true. What a test must change for a whole
// process (limits, mounts, system call filters) is changed there.
enum class ChildResult { kPassed, kFailed, kSkipped };
[[nodiscard]] ChildResult in_child(const std::function<ChildResult()>& body);

// In a child: mounts a small tmpfs on `folder`, seen by the child alone. False if not permitted.
[[nodiscard]] bool mount_private_tmpfs(const std::string& folder, const std::string& options);

// In a child: from now on the system call `number` fails with `sys_errno`; with `second_argument`
// only calls that have it. False if the kernel lacks filters.
[[nodiscard]] bool deny_system_call(int number, int sys_errno,
                                    std::optional<uint32_t> second_argument = std::nullopt);

// A build of the stand-in for libcephfs: "whole", "bare" or "broken" (fake_cephfs.cc says how).
[[nodiscard]] std::string fake_ceph_library(const std::string& which);

// Lets cephfs: paths opened from now on go through this library; an empty name is the system's. The
// stand-in's switches, null if it is none. REQUIRES: no such file is open.
FakeCephfs* use_ceph_library(const std::string& library);

}  // namespace longshore::testing_support
