// layout/layout.h - how a file is spread over storage.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/result.h"
#include "layout/stripe_map.h"

namespace longshore {

enum class FileSystem : int32_t { kPlain, kLustre, kGpfs, kBeegfs, kCephfs };

// "plain", "lustre", ...
[[nodiscard]] const char* name(FileSystem file_system);

// A value: equal on all ranks once rank 0 has read and sent it. A plain file system has one target,
// and its stripe is the block that it prefers to move.
struct Layout {
  int64_t stripe_bytes = 1;  // where parts differ, the largest
  int targets = 1;
  bool striped = false;  // several servers hold the file, and cuts between stripes matter
  FileSystem file_system = FileSystem::kPlain;
  // Two writers within so many bytes wait for each other's locks; 0: no such thing is known.
  int64_t lock_bytes = 0;
  // The number that the file system gives to each target (OST index, OSD id, ...); -1: not known.
  // Empty: targets are known by their place only.
  std::vector<int32_t> devices;
  // Null: stripes of stripe_bytes go round robin over the targets.
  std::shared_ptr<const StripeMap> map;

  [[nodiscard]] int target_of(int64_t offset) const;
  // The device number of the target; -1 if it is not known.
  [[nodiscard]] int device_of(int64_t offset) const;
  // Stripes side by side in the last part, where most of a large file lies, and their size.
  [[nodiscard]] int64_t factor() const;
  [[nodiscard]] int64_t unit_bytes() const;

  // As words that another rank of the same program makes the same Layout from.
  [[nodiscard]] std::vector<int64_t> encode() const;
  // Fails with kIntern if the words are not an image of a Layout.
  [[nodiscard]] static Result<Layout> decode(std::span<const int64_t> words);
};

// What is known of a file on a plain file system: its block size, or what a hint says (0: nothing).
// Striping hints describe the file to the planner there; they do not change it.
[[nodiscard]] Layout plain_layout(int64_t block_bytes, int64_t hinted_stripe_bytes,
                                  int64_t hinted_targets);

// A part of a file in the file system's words: the devices of its objects, set after set.
struct PartOnDevices {
  LayoutPart part;               // without targets
  std::vector<int32_t> devices;  // a multiple of the part's width; empty: not known
};

// A striped layout whose targets are the different devices, in rising order of their numbers. A
// part whose devices are not known goes round robin over as many targets as it is wide. Fails with
// kInvalidArgument as StripeMap::make() does.
[[nodiscard]] Result<Layout> layout_on_devices(FileSystem file_system,
                                               std::vector<PartOnDevices> parts);

}  // namespace longshore
