#include "layout/cephfs.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace longshore {

namespace {

constexpr int64_t kStripeGrain = 64 * 1024;
constexpr int64_t kMostObjectBytes = int64_t{1} << 40;
constexpr int64_t kMostStripes = 65536;

struct Shape {
  int64_t stripe_unit = 0;
  int64_t stripe_count = 0;
  int64_t object_size = 0;

  [[nodiscard]] bool sound() const {
    return stripe_unit >= 1 && stripe_count >= 1 && stripe_count <= kMostStripes &&
           object_size >= stripe_unit && object_size <= kMostObjectBytes &&
           object_size % stripe_unit == 0;
  }
};

Result<int64_t> number_attribute(ProbedFile& file, const std::string& field) {
  const std::string name = "ceph.file.layout." + field;
  auto text = file.attribute(name);
  if (!text) {
    return fail(text.error());
  }
  int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, value);
  if (problem != std::errc() || (stop != end && *stop != '\0')) {
    return fail(ErrorClass::kOther, "attribute " + name + " is '" + *text + "'");
  }
  return value;
}

Result<Shape> shape_of(ProbedFile& file) {
  const auto unit = number_attribute(file, "stripe_unit");
  const auto count = number_attribute(file, "stripe_count");
  const auto size = number_attribute(file, "object_size");
  for (const auto* each : {&unit, &count, &size}) {
    if (!*each) {
      return fail(each->error());
    }
  }
  const Shape shape{*unit, *count, *size};
  if (!shape.sound()) {
    return fail(ErrorClass::kOther, "CephFS tells of a layout that cannot be");
  }
  return shape;
}

// The devices of the first objects, in whole sets; empty if the client does not tell.
std::vector<int32_t> ask_devices(ProbedFile& file, const Shape& shape) {
  const int64_t rows = shape.object_size / shape.stripe_unit;
  const int64_t sets = std::max<int64_t>(1, kAskedObjects / shape.stripe_count);
  std::vector<int32_t> devices;
  for (int64_t object = 0; object < sets * shape.stripe_count; ++object) {
    const int64_t set = object / shape.stripe_count;
    const int64_t stripe = set * rows * shape.stripe_count + object % shape.stripe_count;
    auto device = file.device_at(stripe * shape.stripe_unit);
    if (!device) {
      break;
    }
    devices.push_back(*device);
  }
  devices.resize(devices.size() - devices.size() % static_cast<size_t>(shape.stripe_count));
  return devices;
}

}  // namespace

bool is_cephfs(ProbedFile& file) {
  return file.attribute("ceph.file.layout.stripe_unit") || file.attribute("ceph.dir.entries");
}

Result<Layout> read_cephfs(ProbedFile& file) {
  const auto shape = shape_of(file);
  if (!shape) {
    return fail(shape.error());
  }
  PartOnDevices part;
  part.part.extent = {0, std::numeric_limits<int64_t>::max()};
  part.part.stripe_bytes = shape->stripe_unit;
  part.part.width = shape->stripe_count;
  part.part.rows_per_set = shape->object_size / shape->stripe_unit;
  part.devices = ask_devices(file, *shape);
  return layout_on_devices(FileSystem::kCephfs, {part});
}

Status set_cephfs(ProbedFile& file, int64_t stripe_unit_bytes, int64_t stripe_count) {
  if (stripe_unit_bytes <= 0 && stripe_count <= 0) {
    return fail(ErrorClass::kUnsupportedOperation, "CephFS does not let devices be chosen");
  }
  auto shape = shape_of(file);
  if (!shape) {
    return fail(shape.error());
  }
  shape->stripe_unit = stripe_unit_bytes > 0 ? stripe_unit_bytes : shape->stripe_unit;
  shape->stripe_count = stripe_count > 0 ? stripe_count : shape->stripe_count;
  if (shape->stripe_unit % kStripeGrain != 0) {
    return fail(ErrorClass::kInvalidArgument, "CephFS takes stripes in multiples of 65536 bytes");
  }
  shape->object_size =
      std::max<int64_t>(1, shape->object_size / shape->stripe_unit) * shape->stripe_unit;
  if (!shape->sound()) {
    return fail(ErrorClass::kInvalidArgument, "CephFS cannot have such stripes");
  }
  return file.set_attribute("ceph.file.layout",
                            "stripe_unit=" + std::to_string(shape->stripe_unit) +
                                " stripe_count=" + std::to_string(shape->stripe_count) +
                                " object_size=" + std::to_string(shape->object_size));
}

}  // namespace longshore
