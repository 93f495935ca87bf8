// layout/gpfs.h - GPFS (Storage Scale).
//
// A file lies in blocks over all disks; where a block lies is not told, and the block size is the
// file system's. Tokens, its locks, are handed out in blocks: two writers in one block take it from
// each other. The access ranges of gpfs_fcntl() are storage's matter (storage/gpfs.h).
#pragma once
#include <cstdint>

#include "layout/layout.h"

namespace longshore {

constexpr uint64_t kGpfsMagic = 0x47504653;

[[nodiscard]] Layout gpfs_layout(int64_t block_bytes);

}  // namespace longshore
