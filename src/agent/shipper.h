// agent/shipper.h - writes and reads on file pages that ranks of other hosts own.
//
// First stage of two-stage write-behind (Liao et al., 2007, section 3): for each owner a pair of
// sub-buffers. Writes are appended to one of them with their offset and length until it is full;
// while it is under way the other one is filled. A million 100-byte writes to one owner are about
// two thousand messages of 64 KiB. Reads and acknowledgements are requests with a reply.
//
//   rank 3: write(owner 1, offset 100, 20 bytes)  -> buffered: (100,20)
//           write(owner 1, offset 120, 20 bytes)  -> buffered: (100,40), since it adjoins
//           read(owner 1, (90,60))                -> sends the buffer, then the request
//   rank 1, agent thread: apply(100, 40 bytes), fetch((90,60)), reply
//
// An owner takes one sender's messages in order, so a rank sees its own writes. Other ranks see
// them after settle().
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "agent/agent_thread.h"
#include "agent/ship_server.h"
#include "comm/mailbox.h"
#include "core/observer.h"
#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore {

struct ShipOptions {
  int64_t subbuffer_bytes = 64 << 10;
  bool two_stage = true;         // false: every write is a message of its own
  Observer* observer = nullptr;  // counts messages, copied bytes and the time spent waiting
};

// One per open file and rank; made on all ranks of the mailbox in the same order, and then given to
// the AgentThread, which serves the others. Any thread may call write(), read() and settle() at any
// time; they never keep the agent thread from serving.
//
// Before it goes: settle() on every rank, then a barrier, then AgentThread::remove().
class Shipper final : public Service {
 public:
  Shipper(Mailbox& mailbox, PageServer& pages, const ShipOptions& options);

  // The bytes have left the caller's memory when it returns. How the owner fared with them is told
  // by settle(); fails here only if they could not be sent.
  [[nodiscard]] Status write(int owner, int64_t offset, std::span<const std::byte> data);

  // `packed` is as long as the pieces together. Fewer bytes than that without an error: the file
  // ends there.
  Outcome read(int owner, std::span<const Piece> pieces, std::span<std::byte> packed);

  // Everything written by this process before lies in the owners' pages when it returns. Fails with
  // the first error that an owner had with it, which is then told.
  [[nodiscard]] Status settle();

  // The owners have written out and dropped their pages that meet `range` when it returns, with all
  // that this process has written to them before.
  [[nodiscard]] Status expel(std::span<const int> owners, Extent range);

  // For the agent thread.
  bool poll() override;

 private:
  // What goes to one owner.
  struct Lane {
    explicit Lane(int rank) : owner(rank) {}
    const int owner;
    std::mutex mutex;                                // order of writes; the following
    std::array<std::shared_ptr<Parcel>, 2> buffers;  // null until needed
    size_t filling = 0;                              // index of the one being filled
    int64_t used = 0;                                // bytes in it; 0: not begun
    int64_t entry_at = 0;                            // where its last entry begins
    Piece entry;                                     // that entry
    std::deque<std::shared_ptr<Parcel>> apart;       // messages of their own, maybe under way
    bool unsettled = false;                          // something was written since the last settle
  };

  // A request whose reply has not come.
  class Awaited;

  [[nodiscard]] Result<Lane*> lane_of(int owner);
  [[nodiscard]] Status buffer(Lane& lane, int64_t offset, std::span<const std::byte> data);
  [[nodiscard]] int64_t append(Lane& lane, int64_t offset, std::span<const std::byte> data);
  [[nodiscard]] Status open_buffer(Lane& lane);
  [[nodiscard]] Status flush(Lane& lane);
  [[nodiscard]] Status ship_apart(Lane& lane, int64_t offset, std::span<const std::byte> data);
  [[nodiscard]] Status wait_for_room(Lane& lane, int64_t bytes);
  [[nodiscard]] Status post(int owner, std::shared_ptr<Parcel> parcel);
  [[nodiscard]] Status ask(int owner, ship::Header header, std::span<const Piece> pieces,
                           Awaited& awaited);
  [[nodiscard]] Status ask_to_settle(Lane& lane, std::deque<Awaited>& asked);
  [[nodiscard]] Status ask_to_expel(int owner, Extent range, std::deque<Awaited>& asked);
  [[nodiscard]] Status wait_for_all(const std::deque<Awaited>& asked);

  template <typename Done>
  [[nodiscard]] Status wait_until(Done done);
  [[nodiscard]] Result<bool> take_replies();
  void take_reply(std::span<const std::byte> message);

  Mailbox& mailbox_;
  const int64_t session_;
  const ShipOptions options_;
  const int64_t capacity_;  // of a sub-buffer, header included
  Observer own_observer_;
  Observer& observer_;
  ShipServer server_;

  std::mutex lanes_mutex_;
  std::map<int, Lane> lanes_;
  std::mutex settling_;

  std::mutex awaited_mutex_;
  std::unordered_map<int64_t, Awaited*> awaited_;
  std::atomic<int64_t> awaited_count_{0};
  std::atomic<int64_t> next_id_{1};
};

}  // namespace longshore
