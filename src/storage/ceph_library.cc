#include "storage/ceph_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace longshore {

namespace {

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

// Fills function pointers from a loaded library, and remembers what was not there.
class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <typename Function>
  void may(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }
  template <typename Function>
  void must(const char* name, Function& function) {
    may(name, function);
    if (function == nullptr && missing_.empty()) {
      missing_ = name;
    }
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void bind_required(Binder& binder, CephFunctions& functions) {
  binder.must("ceph_create", functions.create);
  binder.must("ceph_release", functions.release);
  binder.must("ceph_conf_read_file", functions.conf_read_file);
  binder.must("ceph_conf_parse_env", functions.conf_parse_env);
  binder.must("ceph_conf_parse_argv", functions.conf_parse_argv);
  binder.must("ceph_conf_set", functions.conf_set);
  binder.must("ceph_conf_get", functions.conf_get);
  binder.must("ceph_mount", functions.mount);
  binder.must("ceph_unmount", functions.unmount);
  binder.must("ceph_open", functions.open);
  binder.must("ceph_close", functions.close);
  binder.must("ceph_read", functions.read);
  binder.must("ceph_write", functions.write);
  binder.must("ceph_ftruncate", functions.ftruncate);
  binder.must("ceph_fsync", functions.fsync);
  binder.must("ceph_fstatx", functions.fstatx);
  binder.must("ceph_unlink", functions.unlink);
  binder.must("ceph_fgetxattr", functions.fgetxattr);
  binder.must("ceph_fsetxattr", functions.fsetxattr);
}

void bind_optional(Binder& binder, CephFunctions::Optional& functions) {
  binder.may("ceph_preadv", functions.preadv);
  binder.may("ceph_pwritev", functions.pwritev);
  binder.may("ceph_get_file_extent_osds", functions.get_file_extent_osds);
  binder.may("ceph_init", functions.init);
  binder.may("ceph_userperm_new", functions.userperm_new);
  binder.may("ceph_userperm_destroy", functions.userperm_destroy);
  binder.may("ceph_mount_perms_set", functions.mount_perms_set);
  binder.may("ceph_mount_perms", functions.mount_perms);
  binder.may("ceph_ll_get_inode", functions.ll_get_inode);
  binder.may("ceph_ll_put", functions.ll_put);
  binder.may("ceph_ll_open", functions.ll_open);
  binder.may("ceph_ll_close", functions.ll_close);
  binder.may("ceph_ll_setlk", functions.ll_setlk);
}

}  // namespace

Result<CephFunctions> load_ceph_library() {
  const char* given = std::getenv("LONGSHORE_LIBCEPHFS");
  const std::string name = given != nullptr && *given != '\0' ? given : "libcephfs.so.2";
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    return fail(ErrorClass::kUnsupportedOperation,
                "cephfs: paths need libcephfs: " + last_loader_error());
  }
  CephFunctions functions{};
  Binder binder(library);
  bind_required(binder, functions);
  bind_optional(binder, functions.optional);
  if (!binder.missing().empty()) {
    return fail(ErrorClass::kUnsupportedOperation, name + " has no " + binder.missing());
  }
  return functions;
}

}  // namespace longshore
