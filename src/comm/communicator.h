// comm/communicator.h - what the engines need of a process group, without mpi.h.
//
// Implementation: MpiCommunicator, a private duplicate of the program's communicator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/mailbox.h"
#include "core/extent.h"
#include "core/result.h"

namespace longshore {

// Which ranks share memory. Node numbers are dense and ordered by their lowest rank.
struct NodeMap {
  std::vector<int> node_of_rank;
  std::vector<int> leader_of_node;  // lowest rank of each node
  int cores = 1;                    // for the ranks of a node; of the node with the fewest

  [[nodiscard]] int nodes() const { return static_cast<int>(leader_of_node.size()); }
};

// Their ranks, rising.
[[nodiscard]] std::vector<std::vector<int>> ranks_by_node(const NodeMap& nodes);

// Messages under way. wait() completes all of them; destruction without wait() is a bug of ours
// (the buffers would be in use), except when the set is empty.
class MessageSet {
 public:
  static constexpr int kAnyRank = -1;
  virtual ~MessageSet() = default;

  // Buffers belong to the caller and stay untouched until wait() returns. At most 1 GiB each.
  virtual void send(std::span<const std::byte> data, int to, int tag) = 0;
  // A message may be shorter than the buffer, never longer. `from` may be kAnyRank. Returns the
  // index for received() and sender().
  virtual int receive(std::span<std::byte> buffer, int from, int tag) = 0;
  // One message whose bytes lie in several places; the other side may have them in other pieces.
  // The list itself is the caller's again at once. At most 1 GiB in all.
  virtual void send_pieces(std::span<const std::span<const std::byte>> pieces, int to, int tag) = 0;
  virtual int receive_pieces(std::span<const std::span<std::byte>> pieces, int from, int tag) = 0;

  // Returns when all are complete; further sends and receives may be added afterwards.
  [[nodiscard]] virtual Status wait() = 0;
  // True if all are complete; makes progress. Never blocks.
  [[nodiscard]] virtual Result<bool> test() = 0;
  // Bytes of the receive with that index. REQUIRES: waited for.
  [[nodiscard]] virtual int64_t received(int index) const = 0;
  [[nodiscard]] virtual int sender(int index) const = 0;
};

// A barrier under way; it must be done before the group's next step.
class PendingBarrier {
 public:
  virtual ~PendingBarrier() = default;
  // True if all ranks have come; makes progress and never blocks.
  [[nodiscard]] virtual Result<bool> done() = 0;
};

// A counter that all ranks of the group share. Any rank may use it at any time, alone, whatever the
// others are doing.
class SharedCounter {
 public:
  virtual ~SharedCounter() = default;
  // Adds and returns the value before.
  [[nodiscard]] virtual Result<int64_t> fetch_add(int64_t delta) = 0;
  [[nodiscard]] Result<int64_t> load() { return fetch_add(0); }
  [[nodiscard]] virtual Status store(int64_t value) = 0;
};

// Memory of some ranks that all ranks of their node reach.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  // The owner's memory, at least of the size asked for; empty if the owner is on another node.
  [[nodiscard]] virtual std::span<std::byte> of(int owner) const = 0;

  // A count that users of the memory keep, equal on all ranks: it outlives files, as the memory and
  // what was left in it do.
  int64_t cycles_past = 0;
};

// What memory of a node is for: each use has ranges of its own.
enum class NodeUse { kBuffers, kTrays };

// Address space that the ranks of a node share. It has no memory behind it until some rank reserves
// a range (of whole system pages); all zero then. Any rank may call at any time.
class Arena {
 public:
  virtual ~Arena() = default;
  [[nodiscard]] virtual std::span<std::byte> memory() const = 0;
  // Touching the range cannot fail afterwards. Fails with kNoSpace or kNoMemory.
  [[nodiscard]] virtual Status reserve(Extent range) = 0;
  virtual void give_back(Extent range) = 0;
};

// One piece of a transfer between this process and memory that another rank has exposed.
struct RemotePiece {
  std::byte* local = nullptr;
  int64_t remote_offset = 0;  // from the begin of the exposed memory
  int64_t length = 0;
};

// Memory that each rank of a group has exposed to the others. Transfers are complete, on both
// sides, after the next fence() of both, or after unlock() and a later barrier.
class Region {
 public:
  virtual ~Region() = default;
  // A failure shows at the next fence() or unlock(). The local memory stays untouched until then.
  virtual void put(int target, std::span<const RemotePiece> pieces) = 0;
  virtual void get(int target, std::span<const RemotePiece> pieces) = 0;
  [[nodiscard]] virtual Status fence() = 0;  // collective
  [[nodiscard]] virtual Status lock_shared(int target) = 0;
  [[nodiscard]] virtual Status unlock(int target) = 0;
  // Collective; before the memory goes. A destructor does not communicate.
  virtual void release() = 0;
};

// A group of processes with a message space of its own. Collective methods are called by all ranks
// in the same order and by one thread at a time; they wait politely (the core is given up while
// there is nothing to do).
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // This process among all of the program's.
  [[nodiscard]] virtual int world_rank() const { return rank(); }
  [[nodiscard]] virtual const NodeMap& nodes() const = 0;

  [[nodiscard]] virtual std::unique_ptr<MessageSet> messages() = 0;

  [[nodiscard]] virtual Status barrier() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<PendingBarrier>> begin_barrier() = 0;
  [[nodiscard]] virtual Status broadcast(std::span<std::byte> data, int root) = 0;
  // `all` holds size() times mine.size() bytes.
  [[nodiscard]] virtual Status all_gather(std::span<const std::byte> mine,
                                          std::span<std::byte> all) = 0;
  // Element-wise over all ranks, in place.
  [[nodiscard]] virtual Status all_max(std::span<int64_t> values) = 0;
  [[nodiscard]] virtual Status all_sum(std::span<int64_t> values) = 0;
  // Both in one step.
  [[nodiscard]] virtual Status all_max_and_sum(std::span<int64_t> maxima,
                                               std::span<int64_t> sums) = 0;

  // Lets messages under way move on, the program's own included; never blocks.
  virtual void progress() = 0;

  // Collective, with the same arguments everywhere. Each of the ranks `owners` provides `bytes`
  // bytes (multiples of a page) to the ranks of its node, zeroed when new; they stay for later
  // calls, which may ask for other owners or more bytes. Fails on all ranks alike where a host has
  // no shared memory to give.
  [[nodiscard]] virtual Result<NodeMemory*> node_memory(NodeUse use, std::span<const int> owners,
                                                        size_t bytes) = 0;

  // Collective, with the same arguments everywhere. The node's arena, of at least `bytes`; it stays
  // for later calls, with what was left in it. Fails on all ranks alike where a host has none.
  [[nodiscard]] virtual Result<Arena*> arena(size_t bytes) = 0;

  // Collective. `memory` stays the caller's and may be empty.
  [[nodiscard]] virtual Result<std::unique_ptr<Region>> expose(std::span<std::byte> memory) = 0;

  // The group's shared counter; zero when the group was made. Lives as long as the group.
  [[nodiscard]] virtual SharedCounter& counter() = 0;

  // The group's mailbox. Collective; made by the first call that succeeds, and lives as long as the
  // group. The same outcome everywhere: kUnsupportedOperation where threads may not call MPI.
  [[nodiscard]] virtual Result<Mailbox*> mailbox() = 0;
};

// While one lives, waits of this thread sleep between polls instead of yielding: for threads that
// work behind the program's back.
class BackgroundPatience {
 public:
  BackgroundPatience();
  ~BackgroundPatience();
  BackgroundPatience(const BackgroundPatience&) = delete;
  BackgroundPatience& operator=(const BackgroundPatience&) = delete;
};

// While one lives, somebody waits for background work: it hurries as if it were in the foreground.
class Urgency {
 public:
  Urgency();
  ~Urgency();
  Urgency(const Urgency&) = delete;
  Urgency& operator=(const Urgency&) = delete;
};

// The group's common outcome: every rank returns the same class, the greatest of all; a rank that
// has that class itself keeps its detail. A failing communicator is an outcome too.
[[nodiscard]] Status agree(Communicator& comm, const Status& mine);
// In the same step: `anywhere` is true everywhere afterwards if it was true on some rank.
[[nodiscard]] Status agree(Communicator& comm, const Status& mine, bool& anywhere);

}  // namespace longshore
