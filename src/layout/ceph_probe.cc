#include "layout/ceph_probe.h"

#include <limits>
#include <utility>

#include "layout/cephfs.h"
#include "storage/ceph.h"
#include "storage/storage.h"

namespace longshore {

namespace {

class CephProbedFile final : public ProbedFile {
 public:
  explicit CephProbedFile(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
  ~CephProbedFile() override { (void)storage_->close(); }  // nothing was written

  Status control(unsigned long /*request*/, std::span<std::byte> /*argument*/) override {
    return fail(ErrorClass::kUnsupportedOperation, "libcephfs has no ioctl");
  }
  Result<std::string> attribute(const std::string& name) override {
    return storage_->attribute(name);
  }
  Status set_attribute(const std::string& name, const std::string& value) override {
    return storage_->set_attribute(name, value);
  }
  Result<int32_t> device_at(int64_t offset) override {
    const auto device = storage_->device_of(offset);
    if (!device) {
      return fail(device.error());
    }
    if (*device < 0 || *device > std::numeric_limits<int32_t>::max()) {
      return fail(ErrorClass::kIo, "a device number that cannot be");
    }
    return static_cast<int32_t>(*device);
  }

 private:
  std::unique_ptr<Storage> storage_;
};

class CephProbe final : public Probe {
 public:
  Result<FileSystemFacts> file_system(const std::string& /*path*/) override {
    return FileSystemFacts{kCephMagic, int64_t{4} << 20};
  }
  Result<std::unique_ptr<ProbedFile>> open(const std::string& path) override {
    return opened(path, {});
  }
  Result<std::unique_ptr<ProbedFile>> create(const std::string& path, int /*extra_flags*/,
                                             int permissions) override {
    return opened(path, {.read = true,
                         .write = true,
                         .create = true,
                         .exclusive = true,
                         .permissions = permissions});
  }
  int denied_permissions() override { return system_probe().denied_permissions(); }

 private:
  static Result<std::unique_ptr<ProbedFile>> opened(const std::string& path,
                                                    const OpenOptions& options) {
    auto storage = open_storage(path, options, "auto");
    if (!storage) {
      return fail(storage.error());
    }
    return std::make_unique<CephProbedFile>(std::move(*storage));
  }
};

}  // namespace

Probe& ceph_probe() {
  static CephProbe probe;
  return probe;
}

Probe& probe_for(const std::string& path) {
  return is_ceph_path(path) ? ceph_probe() : system_probe();
}

}  // namespace longshore
