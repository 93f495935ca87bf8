#include "comm/communicator.h"

#include <array>
#include <atomic>

#include "comm/patience.h"

namespace longshore {

std::vector<std::vector<int>> ranks_by_node(const NodeMap& nodes) {
  std::vector<std::vector<int>> ranks(static_cast<size_t>(nodes.nodes()));
  for (size_t rank = 0; rank < nodes.node_of_rank.size(); ++rank) {
    ranks[static_cast<size_t>(nodes.node_of_rank[rank])].push_back(static_cast<int>(rank));
  }
  return ranks;
}

namespace {
thread_local int background_depth = 0;
std::atomic<int> urgencies{0};
}  // namespace

BackgroundPatience::BackgroundPatience() { ++background_depth; }
BackgroundPatience::~BackgroundPatience() { --background_depth; }

Urgency::Urgency() { ++urgencies; }
Urgency::~Urgency() { --urgencies; }

bool in_background() {
  return background_depth > 0 && urgencies.load(std::memory_order_relaxed) == 0;
}

Status agree(Communicator& comm, const Status& mine) {
  bool nothing = false;
  return agree(comm, mine, nothing);
}

Status agree(Communicator& comm, const Status& mine, bool& anywhere) {
  const auto own = mine ? ErrorClass::kOk : mine.error().code;
  std::array<int64_t, 2> worst{static_cast<int64_t>(own), anywhere ? 1 : 0};
  if (auto reduced = comm.all_max(worst); !reduced) {
    return reduced;
  }
  anywhere = worst[1] != 0;
  const auto common = static_cast<ErrorClass>(worst[0]);
  if (common == ErrorClass::kOk || common == own) {
    return mine;
  }
  return fail(common, "another process of the call failed");
}

}  // namespace longshore
