// comm/mailbox.h - whole messages between ranks of a group, for threads that poll.
//
// MessageSet serves ranks that know what comes from whom. A mailbox serves those that do not: what
// arrives is taken as it comes, from any rank and of any length. Requests and replies are channels
// of their own, so that who waits for a reply takes replies only.
//
// Implementations: MpiMailbox and, in tests, a fake whose ranks are threads of one process.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/raw_buffer.h"
#include "core/result.h"

namespace longshore {

// A message to be sent: `bytes` lie in `memory`. Neither may be touched while it is under way.
struct Parcel {
  RawBuffer memory;
  std::span<std::byte> bytes;
  std::atomic<bool> under_way{false};
};

enum class Channel : int { kRequests = 0, kReplies = 1 };
inline constexpr int kChannels = 2;

// Any thread may call any method at any time. None waits for another process.
class Mailbox {
 public:
  // What arrived; the bytes are aligned for any type and valid during the call only.
  using Handler = std::function<void(int from, std::span<const std::byte> bytes)>;
  virtual ~Mailbox() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  // Sends; the mailbox keeps the parcel until it is no longer under way. Messages of one channel to
  // one rank arrive in the order posted. A request stays under way until its receiver has begun to
  // take it, so that a sender that limits what it has under way limits the receiver's memory too.
  [[nodiscard]] virtual Status post(Channel channel, int to, std::shared_ptr<Parcel> parcel) = 0;

  // Hands at most one message of the channel to `handler`; true if anything moved. Handlers of one
  // channel run one at a time, in the order of arrival; they may post. False at once while another
  // thread polls the same channel.
  [[nodiscard]] virtual Result<bool> poll(Channel channel, const Handler& handler) = 0;

  // Looks after what is under way; true if some of it no longer is.
  [[nodiscard]] virtual Result<bool> progress() = 0;

  // A count that users of the mailbox keep, equal on all ranks: it outlives files, as the mailbox
  // does, and tells a message that a failed file left behind from one of the present file.
  int64_t sessions_past = 0;
};

}  // namespace longshore
