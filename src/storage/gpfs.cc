#include "storage/gpfs.h"

#include <dlfcn.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace longshore {

namespace {

constexpr uint32_t kMagic = 0x47504653;
constexpr size_t kMostRanges = 8;

// gpfsRangeArray_t.
struct RangeImage {
  int64_t block = 0;
  int32_t start = 0;
  int32_t length = 0;
  int32_t is_write = 0;
  int32_t padding = 0;
};

// gpfsFcntlHeader_t and gpfsMultipleAccessRange_t behind it.
struct AccessImage {
  int32_t total_length = 416;
  int32_t version = 1;
  int32_t error_offset = 0;
  int32_t reserved = 0;
  int32_t struct_length = 400;
  int32_t struct_type = 1003;  // GPFS_MULTIPLE_ACCESS_RANGE
  int32_t wanted_count = 0;    // afterwards: how many were taken
  int32_t released_count = 0;
  RangeImage wanted[kMostRanges];
  RangeImage released[kMostRanges];
};
static_assert(sizeof(RangeImage) == 24);
static_assert(sizeof(AccessImage) == 416);

constexpr int32_t kHeaderBytes = 16;

// gpfsFcntlHeader_t, gpfsDataShipStart_t and, if agents are named, gpfsDataShipMapVariable_t, whose
// array has an even number of places.
std::vector<int32_t> start_image(const DataShipping& terms) {
  constexpr int32_t kStart = 2002;  // GPFS_DATA_SHIP_START
  constexpr int32_t kMap = 2003;    // GPFS_DATA_SHIP_MAP
  constexpr int32_t kStartBytes = 16;
  constexpr int32_t kMapHeadBytes = 16;
  const auto count = static_cast<int32_t>(terms.agents.size());
  const int32_t places = (count + 1) / 2 * 2;
  const int32_t map_bytes = count == 0 ? 0 : kMapHeadBytes + 4 * places;
  std::vector<int32_t> image{kHeaderBytes + kStartBytes + map_bytes, 1, 0, 0};
  image.insert(image.end(), {kStartBytes, kStart, terms.openers, 0});
  if (count > 0) {
    image.insert(image.end(), {map_bytes, kMap, terms.partition_bytes, count});
    image.insert(image.end(), terms.agents.begin(), terms.agents.end());
    image.resize(static_cast<size_t>(image[0]) / sizeof(int32_t), 0);
  }
  return image;
}

// gpfsFcntlHeader_t and gpfsDataShipStop_t.
std::vector<int32_t> stop_image() {
  constexpr int32_t kStop = 2004;  // GPFS_DATA_SHIP_STOP
  constexpr int32_t kStopBytes = 8;
  return {kHeaderBytes + kStopBytes, 1, 0, 0, kStopBytes, kStop};
}

// One call takes so many.
template <typename Element>
std::vector<std::vector<Element>> in_eights(const std::vector<Element>& all) {
  std::vector<std::vector<Element>> groups;
  for (size_t i = 0; i < all.size(); i += kMostRanges) {
    const auto end = std::min(all.size(), i + kMostRanges);
    groups.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                        all.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return groups;
}

}  // namespace

std::unique_ptr<GpfsLibrary> GpfsLibrary::load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  void* symbol = handle != nullptr ? dlsym(handle, "gpfs_fcntl") : nullptr;
  if (symbol == nullptr) {
    return nullptr;
  }
  return std::unique_ptr<GpfsLibrary>(new GpfsLibrary(reinterpret_cast<Function>(symbol)));
}

const GpfsLibrary* GpfsLibrary::of_system() {
  static const GpfsLibrary* library = load("libgpfs.so").release();
  return library;
}

bool is_on_gpfs(int fd) {
  struct statfs facts {};
  return fstatfs(fd, &facts) == 0 && static_cast<uint32_t>(facts.f_type) == kMagic;
}

std::vector<GpfsStorage::BlockRange> GpfsStorage::blocks_of(Extent range) const {
  // The hint counts bytes of a block in 32 bits.
  const int64_t unit = std::min<int64_t>(block_bytes(), std::numeric_limits<int32_t>::max());
  std::vector<BlockRange> blocks;
  for (int64_t at = range.begin; at < range.end;) {
    const int64_t block = at / unit;
    const int64_t end = std::min(range.end, (block + 1) * unit);
    blocks.push_back(
        {block, static_cast<int32_t>(at - block * unit), static_cast<int32_t>(end - at)});
    at = end;
  }
  return blocks;
}

int GpfsStorage::tell(const std::vector<BlockRange>& wanted,
                      const std::vector<BlockRange>& released) {
  AccessImage image;
  const auto copy = [](const std::vector<BlockRange>& from, RangeImage* to) {
    for (const auto& each : from) {
      *to++ = {each.block, each.begin, each.length, 0, 0};
    }
    return static_cast<int32_t>(from.size());
  };
  image.wanted_count = copy(wanted, image.wanted);
  image.released_count = copy(released, image.released);
  if (library_.fcntl(fd(), &image) != 0) {
    return 0;
  }
  return std::clamp<int>(image.wanted_count, 0, static_cast<int>(wanted.size()));
}

// What GPFS has no room for now it would drop again: nothing more is asked then.
void GpfsStorage::will_need(Extent range) {
  const std::lock_guard lock(mutex_);
  std::vector<BlockRange> fresh;
  for (const auto& each : blocks_of(range)) {
    if (accepted_.count(each.block) == 0) {
      fresh.push_back(each);
    }
  }
  for (const auto& group : in_eights(fresh)) {
    const auto taken = static_cast<size_t>(tell(group, {}));
    for (size_t i = 0; i < taken; ++i) {
      accepted_[group[i].block] = group[i];
    }
    if (taken < group.size()) {
      return;
    }
  }
}

void GpfsStorage::done_with(Extent range) {
  const std::lock_guard lock(mutex_);
  std::vector<BlockRange> released;
  for (const auto& each : blocks_of(range)) {
    if (const auto found = accepted_.find(each.block); found != accepted_.end()) {
      released.push_back(found->second);
      accepted_.erase(found);
    }
  }
  for (const auto& group : in_eights(released)) {
    (void)tell({}, group);
  }
}

Status GpfsStorage::direct(std::vector<int32_t> image, const char* what) const {
  int result = library_.fcntl(fd(), image.data());
  while (result != 0 && errno == EINTR) {
    result = library_.fcntl(fd(), image.data());
  }
  return result == 0 ? Status{} : fail_errno(errno, what);
}

Status GpfsStorage::start_data_shipping(const DataShipping& terms) {
  return direct(start_image(terms), "gpfs_fcntl to start data shipping");
}

Status GpfsStorage::stop_data_shipping() {
  return direct(stop_image(), "gpfs_fcntl to stop data shipping");
}

}  // namespace longshore
