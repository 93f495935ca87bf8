// registry.h - all rules there are.
#pragma once
#include "check/rule.h"

namespace longshore::check {

// In the order of the paper.
[[nodiscard]] const Rules& all_rules();
// Those by which the checker checks itself: "same" and "slowed".
[[nodiscard]] const Rules& self_rules();

[[nodiscard]] Rules make_offset_rules();
[[nodiscard]] Rules make_split_rules();
[[nodiscard]] Rules make_nonblocking_rules();
[[nodiscard]] Rules make_atomic_rules();
[[nodiscard]] Rules make_preallocate_rules();
[[nodiscard]] Rules make_shared_rules();
[[nodiscard]] Rules make_external32_rules();
[[nodiscard]] Rules make_pieces_rules();
[[nodiscard]] Rules make_collective_rules();
[[nodiscard]] Rules make_hint_rules();
[[nodiscard]] Rules make_self_rules();

}  // namespace longshore::check
