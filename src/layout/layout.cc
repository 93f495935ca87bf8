#include "layout/layout.h"

#include <algorithm>
#include <set>
#include <utility>

namespace longshore {

namespace {

// Reads words in order; past the end every word is zero and `good` is false.
struct Words {
  std::span<const int64_t> rest;
  bool good = true;

  int64_t next() {
    if (rest.empty()) {
      good = false;
      return 0;
    }
    const int64_t word = rest.front();
    rest = rest.subspan(1);
    return word;
  }
  std::vector<int32_t> list() {
    const int64_t count = next();
    if (count < 0 || count > static_cast<int64_t>(rest.size())) {
      good = false;
      return {};
    }
    std::vector<int32_t> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<int32_t>(next()));
    }
    return values;
  }
};

void append(std::vector<int64_t>& words, const std::vector<int32_t>& list) {
  words.push_back(static_cast<int64_t>(list.size()));
  words.insert(words.end(), list.begin(), list.end());
}

LayoutPart decode_part(Words& words) {
  LayoutPart part;
  part.extent.begin = words.next();
  part.extent.end = words.next();
  part.stripe_bytes = words.next();
  part.width = words.next();
  part.rows_per_set = words.next();
  part.targets = words.list();
  return part;
}

}  // namespace

const char* name(FileSystem file_system) {
  switch (file_system) {
    case FileSystem::kPlain: return "plain";
    case FileSystem::kLustre: return "lustre";
    case FileSystem::kGpfs: return "gpfs";
    case FileSystem::kBeegfs: return "beegfs";
    case FileSystem::kCephfs: return "cephfs";
  }
  return "plain";
}

int Layout::target_of(int64_t offset) const {
  return map ? map->stripe_at(offset).target : static_cast<int>(offset / stripe_bytes % targets);
}

int Layout::device_of(int64_t offset) const {
  const auto target = static_cast<size_t>(target_of(offset));
  if (devices.empty()) {
    return static_cast<int>(target);
  }
  return target < devices.size() ? devices[target] : -1;
}

int64_t Layout::factor() const { return map ? map->parts().back().width : targets; }

int64_t Layout::unit_bytes() const { return map ? map->parts().back().stripe_bytes : stripe_bytes; }

std::vector<int64_t> Layout::encode() const {
  std::vector<int64_t> words{stripe_bytes, targets, striped ? 1 : 0,
                             static_cast<int64_t>(file_system), lock_bytes};
  append(words, devices);
  words.push_back(map ? static_cast<int64_t>(map->parts().size()) : 0);
  for (size_t i = 0; map && i < map->parts().size(); ++i) {
    const LayoutPart& part = map->parts()[i];
    words.insert(words.end(), {part.extent.begin, part.extent.end, part.stripe_bytes, part.width,
                               part.rows_per_set});
    append(words, part.targets);
  }
  return words;
}

Result<Layout> Layout::decode(std::span<const int64_t> image) {
  Words words{image};
  Layout layout;
  layout.stripe_bytes = words.next();
  layout.targets = static_cast<int>(words.next());
  layout.striped = words.next() != 0;
  layout.file_system = static_cast<FileSystem>(words.next());
  layout.lock_bytes = words.next();
  layout.devices = words.list();
  std::vector<LayoutPart> parts;
  for (int64_t left = words.next(); left > 0 && words.good; --left) {
    parts.push_back(decode_part(words));
  }
  if (!words.good || !words.rest.empty() || layout.stripe_bytes < 1 || layout.targets < 1) {
    return fail(ErrorClass::kIntern, "not the image of a layout");
  }
  if (!parts.empty()) {
    auto map = StripeMap::make(std::move(parts));
    if (!map || map->targets() > layout.targets) {
      return fail(ErrorClass::kIntern, "not the image of a layout");
    }
    layout.map = std::make_shared<const StripeMap>(std::move(*map));
  }
  return layout;
}

Result<Layout> layout_on_devices(FileSystem file_system, std::vector<PartOnDevices> parts) {
  std::set<int32_t> different;
  for (const auto& each : parts) {
    different.insert(each.devices.begin(), each.devices.end());
  }
  Layout layout;
  layout.file_system = file_system;
  layout.striped = true;
  layout.devices.assign(different.begin(), different.end());
  std::vector<LayoutPart> mapped;
  for (auto& each : parts) {
    for (const int32_t device : each.devices) {
      const auto at = std::lower_bound(layout.devices.begin(), layout.devices.end(), device);
      each.part.targets.push_back(static_cast<int32_t>(at - layout.devices.begin()));
    }
    mapped.push_back(std::move(each.part));
  }
  auto map = StripeMap::make(std::move(mapped));
  if (!map) {
    return fail(map.error());
  }
  layout.targets = map->targets();
  layout.stripe_bytes = map->largest_stripe_bytes();
  layout.devices.resize(static_cast<size_t>(layout.targets), -1);
  layout.map = std::make_shared<const StripeMap>(std::move(*map));
  return layout;
}

}  // namespace longshore
