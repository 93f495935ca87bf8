// storage/ceph_mount.h - this process as a client of CephFS.
//
// All files of the process share one mount: each costs some twenty threads, a session at the
// metadata server and tens of milliseconds. It is made with the first file and kept when the last
// is closed, since programs open one file after the other; it ends in MPI_Finalize if no file is
// open then, else when the process exits. A process that dies before that leaves a session behind,
// and others wait for what it held until the metadata server evicts it (a minute by default).
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "core/result.h"
#include "storage/ceph_library.h"

namespace longshore {

class CephMount {
 public:
  // Tried for so long, in seconds, unless the user has set client_mount_timeout.
  static constexpr const char* kTimeout = "30";

  // The process's mount, made if there is none, in the root that client_mountpoint names. The
  // configuration is that of CEPH_CONF or Ceph's default places, and CEPH_ARGS. Fails with
  // kUnsupportedOperation without a library, kAccess if Ceph does not let us in, kIo if it cannot
  // be reached: never kNoSuchFile, which would speak of the file. Any thread may call.
  [[nodiscard]] static Result<std::shared_ptr<CephMount>> shared();

  // Lets go of the mount: it ends with its last file, now if none is open.
  static void release();

  // The same if `mount` is the present one: it was found to be of no use any more.
  static void drop(const std::shared_ptr<CephMount>& mount);

  ~CephMount();
  CephMount(const CephMount&) = delete;
  CephMount& operator=(const CephMount&) = delete;

  [[nodiscard]] const CephFunctions& call() const { return functions_; }
  [[nodiscard]] CephHandle* handle() const { return handle_; }

 private:
  explicit CephMount(const CephFunctions& functions) : functions_(functions) {}
  [[nodiscard]] static Result<std::shared_ptr<CephMount>> make();
  [[nodiscard]] Status configure();
  [[nodiscard]] int take_identity();
  [[nodiscard]] Status enter();
  void leave();
  static void leave_at_exit();

  CephFunctions functions_;
  CephHandle* handle_ = nullptr;
  std::atomic<bool> entered_ = false;
};

// The user that CEPH_ARGS names by --id, --user, --name or -n ("client.ana" is "ana"); empty if
// none. The library itself does not look for it there.
[[nodiscard]] std::string ceph_user(const std::string& arguments);

}  // namespace longshore
