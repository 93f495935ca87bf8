#include "storage/ceph_mount.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <vector>

namespace longshore {

namespace {

// What the process has of mounts. Never destroyed: files may be closed by destructors at exit.
struct Present {
  std::mutex mutex;
  std::shared_ptr<CephMount> kept;
  std::weak_ptr<CephMount> known;  // also behind release(), while files have it
};

Present& present() {
  static auto* state = new Present();
  return *state;
}

Error mount_error(int sys_errno, const std::string& what) {
  Error error = errno_error(sys_errno, "cannot use CephFS: " + what);
  const bool refused = error.code == ErrorClass::kAccess;
  const bool no_memory = error.code == ErrorClass::kNoMemory;
  error.code = refused || no_memory ? error.code : ErrorClass::kIo;
  return error;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string ceph_user(const std::string& arguments) {
  std::istringstream words(arguments);
  std::string word;
  while (words >> word) {
    std::string value;
    if (const size_t equals = word.find('='); equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    } else if (word == "--id" || word == "--user" || word == "--name" || word == "-n") {
      words >> value;
    }
    if (word == "--id" || word == "--user") {
      return value;
    }
    if (word == "--name" || word == "-n") {
      return value.substr(value.find('.') + 1);  // all of it without a dot
    }
  }
  return "";
}

Result<std::shared_ptr<CephMount>> CephMount::shared() {
  Present& state = present();
  const std::lock_guard guard(state.mutex);
  if (auto mount = state.known.lock(); mount != nullptr) {
    state.kept = mount;
    return mount;
  }
  auto made = make();
  if (made) {
    state.kept = *made;
    state.known = *made;
    // Behind the mount, so that it runs before the library's own clearing up.
    static std::once_flag once;
    std::call_once(once, [] { std::atexit(leave_at_exit); });
  }
  return made;
}

void CephMount::release() {
  std::shared_ptr<CephMount> last;  // ends outside the lock
  const std::lock_guard guard(present().mutex);
  last.swap(present().kept);
}

void CephMount::drop(const std::shared_ptr<CephMount>& mount) {
  const std::lock_guard guard(present().mutex);
  if (present().known.lock() == mount) {
    present().kept.reset();
    present().known.reset();
  }
}

// Files may be open still: they find the mount gone, but what they wrote is kept.
void CephMount::leave_at_exit() {
  std::shared_ptr<CephMount> mount;
  {
    const std::lock_guard guard(present().mutex);
    mount = present().known.lock();
  }
  if (mount != nullptr) {
    mount->leave();
  }
}

Result<std::shared_ptr<CephMount>> CephMount::make() {
  const auto functions = load_ceph_library();
  if (!functions) {
    return fail(functions.error());
  }
  std::shared_ptr<CephMount> mount(new CephMount(*functions));
  if (auto configured = mount->configure(); !configured) {
    return fail(configured.error());
  }
  if (auto entered = mount->enter(); !entered) {
    return fail(entered.error());
  }
  return mount;
}

Status CephMount::configure() {
  const std::string user = ceph_user(variable("CEPH_ARGS"));
  if (const int result = functions_.create(&handle_, user.empty() ? nullptr : user.c_str());
      result < 0) {
    handle_ = nullptr;
    return fail(mount_error(-result, "ceph_create"));
  }
  // Without a file, CEPH_ARGS may say all that is needed; if not, mounting fails.
  const int read = functions_.conf_read_file(handle_, nullptr);
  if (read < 0 && read != -ENOENT) {
    return fail(mount_error(-read, "its configuration file"));
  }
  if (const int parsed = functions_.conf_parse_env(handle_, nullptr); parsed < 0) {
    return fail(mount_error(-parsed, "CEPH_ARGS"));
  }
  // Of less weight than any word of the user.
  const std::string timeout = std::string("--default-client_mount_timeout=") + kTimeout;
  std::array<const char*, 3> arguments{"longshore", timeout.c_str(), nullptr};
  (void)functions_.conf_parse_argv(handle_, 2, arguments.data());
  // Lazy I/O gives up the coherence between clients on which MPI's rules stand.
  (void)functions_.conf_set(handle_, "client_force_lazyio", "false");
  return {};
}

// The library would leave out the process's further groups. -errno if the monitors, which it asks
// on the way, do not answer.
int CephMount::take_identity() {
  const auto& more = functions_.optional;
  const int count = getgroups(0, nullptr);
  if (more.init == nullptr || more.userperm_new == nullptr || more.userperm_destroy == nullptr ||
      more.mount_perms_set == nullptr || count < 0) {
    return 0;
  }
  if (const int result = more.init(handle_); result < 0) {
    return result;
  }
  std::vector<gid_t> groups(static_cast<size_t>(count));
  const int got = getgroups(count, groups.data());
  CephPermissions* const self =
      more.userperm_new(geteuid(), getegid(), got < 0 ? 0 : got, groups.data());
  if (self != nullptr) {
    (void)more.mount_perms_set(handle_, self);  // copies it
    more.userperm_destroy(self);
  }
  return 0;
}

Status CephMount::enter() {
  std::array<char, 4096> root{};
  if (functions_.conf_get(handle_, "client_mountpoint", root.data(), root.size()) < 0) {
    root.fill('\0');
  }
  const std::string place = root.front() == '\0' ? "/" : root.data();
  int result = take_identity();
  result = result < 0 ? result : functions_.mount(handle_, place.c_str());
  if (result < 0) {
    return fail(mount_error(-result, "mounting its " + place));
  }
  entered_ = true;
  return {};
}

void CephMount::leave() {
  if (entered_.exchange(false)) {
    (void)functions_.unmount(handle_);
  }
}

CephMount::~CephMount() {
  leave();
  if (handle_ != nullptr) {
    (void)functions_.release(handle_);
  }
}

}  // namespace longshore
