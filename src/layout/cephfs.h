// layout/cephfs.h - CephFS on a mount, by its virtual attributes.
//
// A file is cut in stripes of stripe_unit; stripe_count of them lie side by side, each in an object
// of object_size of its own; then come the next stripe_count objects. Which device holds an object
// is a hash of its name: it is asked for, for the first kAskedObjects, and taken to repeat behind
// them. Clients that share a file for writing pass every write to the devices; nothing is locked by
// ranges.
#pragma once
#include <cstdint>

#include "core/result.h"
#include "layout/layout.h"
#include "layout/probe.h"

namespace longshore {

constexpr uint64_t kCephMagic = 0x00c36400;
constexpr uint64_t kFuseMagic = 0x65735546;
constexpr int64_t kAskedObjects = 1024;

// True if the file or folder has CephFS' attributes.
[[nodiscard]] bool is_cephfs(ProbedFile& file);

// Fails if an attribute is missing or makes no sense. Where the client does not tell devices
// (ceph-fuse), the targets are the stripe_count places of a row.
[[nodiscard]] Result<Layout> read_cephfs(ProbedFile& file);

// Sets the layout of an empty file; 0: as it is. The object size stays if stripes fit it, else it
// becomes the nearest that they do. Fails with kInvalidArgument if the stripe is not a multiple of
// 64 KiB. The first device cannot be chosen.
[[nodiscard]] Status set_cephfs(ProbedFile& file, int64_t stripe_unit_bytes, int64_t stripe_count);

}  // namespace longshore
