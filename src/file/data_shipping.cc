#include "file/data_shipping.h"

#include <array>
#include <limits>
#include <span>
#include <utility>

namespace longshore {

namespace {

// True everywhere if it is true everywhere.
Result<bool> everywhere(Communicator& comm, bool here) {
  std::array<int64_t, 1> missing{here ? 0 : 1};
  if (auto status = comm.all_max(missing); !status) {
    return fail(status.error());
  }
  return missing[0] == 0;
}

Status share_agents(Communicator& comm, std::vector<int32_t>& agents) {
  auto count = static_cast<int64_t>(agents.size());
  if (auto told = comm.broadcast(std::as_writable_bytes(std::span(&count, 1)), 0); !told) {
    return told;
  }
  agents.resize(static_cast<size_t>(count));
  return count == 0 ? Status{} : comm.broadcast(std::as_writable_bytes(std::span(agents)), 0);
}

}  // namespace

Result<bool> begin_shipping(Communicator& comm, Storage& storage, ShippingWish wish,
                            int64_t block_bytes, std::string& refusal) {
  if (auto shared = share_agents(comm, wish.agents); !shared) {
    return fail(shared.error());
  }
  const bool can = storage.can_ship_data() && block_bytes <= std::numeric_limits<int32_t>::max();
  const auto all_can = everywhere(comm, can);
  if (!all_can || !*all_can) {
    return all_can;
  }
  const Status started = storage.start_data_shipping(
      {comm.size(), static_cast<int32_t>(block_bytes), std::move(wish.agents)});
  if (!started) {
    refusal = started.error().detail;
  }
  const auto all_started = everywhere(comm, started.has_value());
  if (started && (!all_started || !*all_started)) {
    (void)storage.stop_data_shipping();
  }
  return all_started;
}

}  // namespace longshore
