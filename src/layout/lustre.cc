#include "layout/lustre.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "layout/image.h"

namespace longshore {

namespace {

constexpr unsigned long kSetStripe = _IOC(_IOC_WRITE, 'f', 154, sizeof(long));
constexpr unsigned long kGetStripe = _IOC(_IOC_WRITE, 'f', 155, sizeof(long));

// struct lov_user_md_v1, and v3 with a pool name behind it:
//    0 u32 magic   4 u32 pattern   8 object id (16 bytes)   24 u32 stripe size
//   28 u16 stripe count   30 u16 first OST (set) or generation (get)   v3: 32 char pool[16]
// then for each stripe: 0 object id (16 bytes)   16 u32 generation   20 u32 OST index.
constexpr uint32_t kMagicV1 = 0x0BD10BD0;
constexpr uint32_t kMagicV3 = 0x0BD30BD0;
constexpr size_t kHeaderV1 = 32;
constexpr size_t kHeaderV3 = 48;
constexpr size_t kObjectBytes = 24;

// struct lov_comp_md_v1:
//    0 u32 magic   4 u32 size of all   8 u32 generation   12 u16 flags   14 u16 entries
//   16 u16 mirrors - 1   18 padding to 32
// then its entries: 0 u32 id   4 u32 flags   8 u64 begin   16 u64 end   24 u32 offset of its
// lov_user_md from the begin of all   28 u32 size of that   32 u32 generation   36 u64 time
// 44 padding to 48.
constexpr uint32_t kMagicComposite = 0x0BD60BD0;
constexpr size_t kCompositeHeader = 32;
constexpr size_t kEntryBytes = 48;
constexpr uint32_t kEntryHasObjects = 0x10;
constexpr uint32_t kEntryExtends = 0x40;  // no stripes of its own: makes the one before it grow
constexpr int kMirrorShift = 16;

constexpr uint32_t kPatternFlags = 0xffff0000;
constexpr uint32_t kStriped = 0x001;
constexpr uint32_t kOverstriped = 0x200;
constexpr uint32_t kOnMetadataServer = 0x100;

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
constexpr uint16_t kAllOsts = 0xffff;
constexpr uint16_t kMostStripes = 2000;
constexpr int64_t kStripeGrain = 64 * 1024;
// An attribute has at most 64 KiB; the kernel does not ask how large the buffer is.
constexpr size_t kAnswerBytes = 128 * 1024;

tl::unexpected<Error> nonsense(const char* what) {
  return fail(ErrorClass::kOther, std::string("Lustre's answer ") + what);
}

// One lov_user_md. `has_objects`: its OSTs are listed.
Result<PartOnDevices> parse_part(std::span<const std::byte> image, bool has_objects) {
  ImageReader reader(image);
  const auto magic = reader.at<uint32_t>(0);
  const auto pattern = reader.at<uint32_t>(4) & ~kPatternFlags;
  const auto count = reader.at<uint16_t>(28);
  PartOnDevices part;
  part.part.extent = {0, kEnd};
  part.part.stripe_bytes = reader.at<uint32_t>(24);
  if (!reader.ok() || (magic != kMagicV1 && magic != kMagicV3)) {
    return nonsense("is of no known kind");
  }
  if (part.part.stripe_bytes == 0) {
    return nonsense("has stripes of no size");
  }
  if (pattern == kOnMetadataServer) {
    part.devices = {-1};
    return part;
  }
  if ((pattern & ~kOverstriped) != kStriped) {
    return nonsense("has a pattern that is not known");
  }
  part.part.width = count == 0 || count == kAllOsts ? 1 : count;
  if (!has_objects || count == 0 || count == kAllOsts) {
    return part;
  }
  const size_t header = magic == kMagicV1 ? kHeaderV1 : kHeaderV3;
  for (size_t i = 0; i < count; ++i) {
    const auto ost = reader.at<uint32_t>(header + i * kObjectBytes + 20);
    if (!reader.ok() || ost > std::numeric_limits<int32_t>::max()) {
      return nonsense("is too short for its stripes");
    }
    part.devices.push_back(static_cast<int32_t>(ost));
  }
  return part;
}

int64_t offset_of(uint64_t word) {
  return word > static_cast<uint64_t>(kEnd) ? kEnd : static_cast<int64_t>(word);
}

// Adds the component that an entry tells of.
Status add_component(ImageReader& all, size_t entry, std::vector<PartOnDevices>& parts) {
  const auto flags = all.at<uint32_t>(entry + 4);
  const Extent extent{offset_of(all.at<uint64_t>(entry + 8)),
                      offset_of(all.at<uint64_t>(entry + 16))};
  const int64_t reached = parts.empty() ? 0 : parts.back().part.extent.end;
  if ((flags & kEntryExtends) != 0 && !parts.empty()) {
    parts.back().part.extent.end = std::max(reached, extent.end);
    return {};
  }
  const auto blob = all.part(all.at<uint32_t>(entry + 24), all.at<uint32_t>(entry + 28));
  if (!all.ok()) {
    return nonsense("is too short for its components");
  }
  auto part = parse_part(blob, (flags & kEntryHasObjects) != 0);
  if (!part) {
    return fail(part.error());
  }
  if (extent.begin != reached || extent.end <= extent.begin) {
    return nonsense("has components that do not adjoin");
  }
  part->part.extent = extent;
  parts.push_back(std::move(*part));
  return {};
}

Result<std::vector<PartOnDevices>> parse_composite(std::span<const std::byte> answer) {
  ImageReader head(answer);
  const auto size = head.at<uint32_t>(4);
  const auto entries = head.at<uint16_t>(14);
  if (!head.ok() || size > answer.size() || entries == 0) {
    return nonsense("is too short for its components");
  }
  ImageReader all(answer.first(size));
  const auto mirror_of = [&](size_t entry) { return all.at<uint32_t>(entry) >> kMirrorShift; };
  const auto mirror = mirror_of(kCompositeHeader);
  std::vector<PartOnDevices> parts;
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = kCompositeHeader + i * kEntryBytes;
    const bool other_mirror = mirror_of(entry) != mirror;
    if (!all.ok()) {
      return nonsense("is too short for its components");
    }
    if (other_mirror) {
      continue;
    }
    if (auto added = add_component(all, entry, parts); !added) {
      return fail(added.error());
    }
  }
  parts.back().part.extent.end = kEnd;  // behind its layout a file cannot be written
  return parts;
}

}  // namespace

Result<Layout> parse_lustre(std::span<const std::byte> answer) {
  const auto magic = ImageReader(answer).at<uint32_t>(0);
  std::vector<PartOnDevices> parts;
  if (magic == kMagicComposite) {
    auto components = parse_composite(answer);
    if (!components) {
      return fail(components.error());
    }
    parts = std::move(*components);
  } else {
    auto part = parse_part(answer, true);
    if (!part) {
      return fail(part.error());
    }
    parts.push_back(std::move(*part));
  }
  auto layout = layout_on_devices(FileSystem::kLustre, std::move(parts));
  if (layout) {
    layout->lock_bytes = layout->stripe_bytes;
  }
  return layout;
}

Result<Layout> read_lustre(ProbedFile& file) {
  std::vector<std::byte> answer(kAnswerBytes);
  put(std::span(answer), 0, kMagicV3);
  put(std::span(answer), 28, kMostStripes);  // room for so many
  if (auto asked = file.control(kGetStripe, answer); !asked) {
    return fail(asked.error());
  }
  return parse_lustre(answer);
}

Status set_lustre(ProbedFile& file, int64_t stripe_bytes, int64_t stripes, int64_t first_ost) {
  if (stripe_bytes % kStripeGrain != 0 || stripe_bytes > std::numeric_limits<uint32_t>::max()) {
    return fail(ErrorClass::kInvalidArgument,
                "Lustre takes stripes in multiples of 65536 bytes, below 4 GiB");
  }
  if (stripes > kMostStripes || first_ost >= kAllOsts) {
    return fail(ErrorClass::kInvalidArgument, "Lustre has no more than 2000 stripes");
  }
  std::array<std::byte, kHeaderV1> image{};
  const std::span<std::byte> bytes(image);
  put(bytes, 0, kMagicV1);
  put(bytes, 4, kStriped);
  put(bytes, 24, static_cast<uint32_t>(std::max<int64_t>(0, stripe_bytes)));
  put(bytes, 28, static_cast<uint16_t>(std::max<int64_t>(0, stripes)));
  put(bytes, 30, first_ost < 0 ? kAllOsts : static_cast<uint16_t>(first_ost));
  return file.control(kSetStripe, bytes);
}

}  // namespace longshore
