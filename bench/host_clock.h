// host_clock.h - the clock that all processes of a host share, and whether it is enough: what the
// programs that measure have in common.
#pragma once

namespace longshore {

// Seconds since some moment, the same on all ranks of a host.
[[nodiscard]] double host_seconds();

// Until host_seconds() is at least this.
void sleep_until(double seconds);

// Whether all ranks are on one host; the same answer on all of them. Collective.
[[nodiscard]] bool on_one_host();

}  // namespace longshore
