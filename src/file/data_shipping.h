// file/data_shipping.h - data shipping by the file system itself, where a program asks for it.
//
// MPI-IO/GPFS (prost-2000, section 2.2) had GPFS bind each block of the file to one node, so that
// no two nodes ever wait for each other's tokens. All ranks that open the file take part: starting
// and stopping are steps of all of them, in which GPFS lets nobody go before all have come. So
// nothing is started unless every rank can.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "core/result.h"
#include "storage/storage.h"

namespace longshore {

struct ShippingWish {
  static constexpr size_t kMostAgents = 2048;
  bool wanted = false;
  std::vector<int32_t> agents;  // numbers of the file system's nodes; empty: its choice
};

// Collective, if rank 0 wants it; rank 0's agents count. Each block of `block_bytes` has one agent.
// True on all ranks if the file system ships from now on. False on all ranks if one of them cannot
// or was refused, and nothing is shipped then; `refusal` says why this rank was refused, if it was.
[[nodiscard]] Result<bool> begin_shipping(Communicator& comm, Storage& storage, ShippingWish wish,
                                          int64_t block_bytes, std::string& refusal);

}  // namespace longshore
