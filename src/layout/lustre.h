// layout/lustre.h - Lustre, by the ioctls of its user interface.
//
// A file has one layout, or several components of which each covers a part of the file (progressive
// layouts); a component's objects lie on OSTs that are named one by one, so that one may appear
// more than once (overstriping). Locks are taken per object and widened as far as no one else is in
// the way: two writers in one stripe wait for each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/result.h"
#include "layout/layout.h"
#include "layout/probe.h"

namespace longshore {

constexpr uint64_t kLustreMagic = 0x0BD00BD0;
// Flags of open(2) by which a new file gets no objects until its striping is set.
constexpr int kLustreDelayCreate = 0100000000 | 00020000 | 00000400;  // 1.8's, FASYNC, O_NOCTTY

// The layout in an answer of LL_IOC_LOV_GETSTRIPE: lov_user_md v1 or v3, or lov_comp_md_v1. Fails
// with kOther, and never reads past the end, if it is of another kind, too short for its own counts
// or has holes. Of mirrors the first counts. A component without objects yet goes round robin over
// as many targets as it will have, or as are known.
[[nodiscard]] Result<Layout> parse_lustre(std::span<const std::byte> answer);

[[nodiscard]] Result<Layout> read_lustre(ProbedFile& file);

// Gives a file made with kLustreDelayCreate its stripes; 0 and -1: as the folder has it. Fails with
// kInvalidArgument if the stripe is not a multiple of 64 KiB below 4 GiB.
[[nodiscard]] Status set_lustre(ProbedFile& file, int64_t stripe_bytes, int64_t stripes,
                                int64_t first_ost);

}  // namespace longshore
