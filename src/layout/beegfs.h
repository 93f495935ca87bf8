// layout/beegfs.h - BeeGFS, by the client module's ioctls.
//
// Chunks go round robin over the targets in their order. Nothing is locked unless the site says so.
#pragma once
#include <cstdint>
#include <string>

#include "core/result.h"
#include "layout/layout.h"
#include "layout/probe.h"

namespace longshore {

constexpr uint64_t kBeegfsMagic = 0x19830326;

// Fails if the client does not answer or says what cannot be.
[[nodiscard]] Result<Layout> read_beegfs(ProbedFile& file);

// Makes `leaf` in the folder; 0: the folder's own choice. Fails with kInvalidArgument, and makes
// nothing, if the chunk is not a power of two of at least 64 KiB; with kFileExists if it is there.
// The permissions are taken as they are. The first target cannot be chosen.
[[nodiscard]] Status create_on_beegfs(ProbedFile& folder, const std::string& leaf,
                                      int64_t chunk_bytes, int64_t targets, int permissions);

}  // namespace longshore
