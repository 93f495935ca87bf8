// layout/ceph_probe.h - CephFS without a mount: files whose names begin with cephfs:
// (storage/ceph.h).
#pragma once
#include "layout/probe.h"

namespace longshore {

// Asks and sets attributes through libcephfs, which also tells the device of an offset. Any thread
// may use it at any time.
[[nodiscard]] Probe& ceph_probe();

// The probe for `path`: this one, or the operating system's.
[[nodiscard]] Probe& probe_for(const std::string& path);

}  // namespace longshore
