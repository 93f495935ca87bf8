#include "layout/beegfs.h"

#include <sys/ioctl.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "layout/image.h"

namespace longshore {

namespace {

// struct BeegfsIoctl_GetStripeInfo_Arg: 0 u32 pattern type, 4 u32 chunk size, 8 u16 targets,
// 10 padding.
constexpr size_t kInfoBytes = 12;
constexpr unsigned long kGetStripeInfo = _IOC(_IOC_READ, 'f', 25, kInfoBytes);
// struct BeegfsIoctl_GetStripeTarget_Arg: 0 u16 index (in), 2 u16 target id, 4 u16 node id,
// 6 char node name[256].
constexpr size_t kTargetBytes = 262;
constexpr unsigned long kGetStripeTarget = _IOC(_IOC_READ, 'f', 26, kTargetBytes);
// struct BeegfsIoctl_MkFileWithStripeHints_Arg: 0 pointer to the name, 8 u32 mode, 12 u32 targets,
// 16 u32 chunk size, 20 padding.
constexpr size_t kMakeBytes = 24;
constexpr unsigned long kMakeFile = _IOC(_IOC_WRITE, 'f', 27, kMakeBytes);

constexpr uint32_t kLastPattern = 3;  // RAID0, RAID10, buddy mirrors: all go round robin
constexpr int64_t kLeastChunk = 64 * 1024;

Result<int32_t> target_at(ProbedFile& file, uint16_t index) {
  std::array<std::byte, kTargetBytes> image{};
  put(std::span<std::byte>(image), 0, index);
  if (auto asked = file.control(kGetStripeTarget, image); !asked) {
    return fail(asked.error());
  }
  return static_cast<int32_t>(ImageReader(image).at<uint16_t>(2));
}

}  // namespace

Result<Layout> read_beegfs(ProbedFile& file) {
  std::array<std::byte, kInfoBytes> image{};
  if (auto asked = file.control(kGetStripeInfo, image); !asked) {
    return fail(asked.error());
  }
  ImageReader info(image);
  const auto pattern = info.at<uint32_t>(0);
  const auto targets = info.at<uint16_t>(8);
  PartOnDevices part;
  part.part.extent = {0, std::numeric_limits<int64_t>::max()};
  part.part.stripe_bytes = info.at<uint32_t>(4);
  part.part.width = targets;
  if (pattern == 0 || pattern > kLastPattern || part.part.stripe_bytes == 0 || targets == 0) {
    return fail(ErrorClass::kOther, "BeeGFS tells of no stripes");
  }
  for (uint16_t i = 0; i < targets; ++i) {
    auto target = target_at(file, i);
    if (!target) {
      part.devices.clear();  // numbers that are not told are done without
      break;
    }
    part.devices.push_back(*target);
  }
  return layout_on_devices(FileSystem::kBeegfs, {part});
}

Status create_on_beegfs(ProbedFile& folder, const std::string& leaf, int64_t chunk_bytes,
                        int64_t targets, int permissions) {
  const bool power = std::has_single_bit(static_cast<uint64_t>(chunk_bytes));
  if (chunk_bytes != 0 &&
      (chunk_bytes < kLeastChunk || !power || chunk_bytes > std::numeric_limits<uint32_t>::max())) {
    return fail(ErrorClass::kInvalidArgument,
                "BeeGFS takes chunks of 65536 bytes times a power of two");
  }
  if (targets < 0 || targets > std::numeric_limits<uint16_t>::max()) {
    return fail(ErrorClass::kInvalidArgument, "BeeGFS takes at most 65535 targets");
  }
  std::array<std::byte, kMakeBytes> image{};
  const std::span<std::byte> bytes(image);
  put(bytes, 0, leaf.c_str());
  put(bytes, 8, static_cast<uint32_t>(permissions));
  put(bytes, 12, static_cast<uint32_t>(targets));
  put(bytes, 16, static_cast<uint32_t>(chunk_bytes));
  return folder.control(kMakeFile, bytes);
}

}  // namespace longshore
