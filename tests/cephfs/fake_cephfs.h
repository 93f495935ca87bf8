// fake_cephfs.h - the switches of a stand-in for libcephfs that keeps its files in plain ones.
//
// "/a" within the fake file system is /a of the host. The library is loaded as the real one would
// be (LONGSHORE_LIBCEPHFS); a test then finds its switches through the symbol fake_cephfs.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace longshore::testing_support {

struct FakeCephfs {
  // Switches.
  std::atomic<int64_t> most_bytes{0};       // a call moves no more than this; 0: all
  std::atomic<int64_t> interrupt_every{0};  // each so many-th call fails with EINTR; 0: none
  std::atomic<int64_t> full_at{0};          // nothing can be written from this offset on; 0: room
  std::atomic<int> init_errno{0};
  std::atomic<int> mount_errno{0};
  std::atomic<int> flush_errno{0};
  std::atomic<int> lost_opens{0};  // so many opens and removals find the client thrown out

  // What was seen.
  std::atomic<int> handles{0};  // made and not released
  std::atomic<int> mounts{0};
  std::atomic<int> unmounts{0};
  std::atomic<int> transfers{0};
  std::atomic<int64_t> longest_transfer{0};
  std::atomic<int> flushes{0};
  std::atomic<int> mode{0};                    // of the last open
  std::mutex mutex;                            // for what follows
  std::string user;                            // of the last handle; "-" if none was named
  std::string root;                            // of the last mount
  std::vector<gid_t> groups;                   // of the last mount
  std::map<std::string, std::string> options;  // at the last mount

  void reset() {
    for (auto* number : {&most_bytes, &interrupt_every, &full_at, &longest_transfer}) {
      *number = 0;
    }
    for (auto* number : {&init_errno, &mount_errno, &flush_errno, &lost_opens, &mounts, &unmounts,
                         &transfers, &flushes}) {
      *number = 0;
    }
  }
};

}  // namespace longshore::testing_support
