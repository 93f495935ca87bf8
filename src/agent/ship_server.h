// agent/ship_server.h - the owner's side of shipping: requests of other ranks on its pages.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "agent/ship_wire.h"
#include "comm/mailbox.h"
#include "core/extent.h"
#include "core/observer.h"
#include "core/result.h"
#include "datatype/pattern.h"

namespace longshore {

// Where shipped bytes go and come from: the pages this rank owns. Called by the agent thread, one
// call at a time; must not wait for other ranks.
class PageServer {
 public:
  virtual ~PageServer() = default;
  // Puts bytes into the pages. They may be of any length and offset >= 0 that a rank sent.
  [[nodiscard]] virtual Status apply(int64_t offset, std::span<const std::byte> data) = 0;
  // Packs the pieces one after the other. Fewer bytes than asked for, without an error, mean the
  // end of the file; what counts is the bytes before the first missing one.
  virtual Outcome fetch(std::span<const Piece> pieces, std::span<std::byte> packed) = 0;
  // Writes out and drops the pages that meet `range`.
  [[nodiscard]] virtual Status expel(Extent range) = 0;
};

// Used by one thread at a time.
class ShipServer {
 public:
  ShipServer(Mailbox& mailbox, PageServer& pages, int64_t session, Observer& observer)
      : mailbox_(mailbox), pages_(pages), session_(session), observer_(observer) {}

  // Does what the message asks for and posts the reply, if it is one that gets a reply. What makes
  // no sense becomes an error of the sender's.
  void serve(int from, std::span<const std::byte> message);

  // True while so many replies are under way that no more requests should be taken.
  [[nodiscard]] bool full();

 private:
  void write(int from, std::span<const std::byte> entries);
  void read(int from, const ship::Header& header, std::span<const std::byte> message);
  void answer(int to, const std::shared_ptr<Parcel>& reply);
  void answer(int to, const ship::Header& header, Error error);
  void expel(int from, const ship::Header& header, std::span<const std::byte> rest);
  void settle(int from, const ship::Header& header);
  void note(int from, const Error& error);

  Mailbox& mailbox_;
  PageServer& pages_;
  int64_t session_;
  Observer& observer_;
  std::vector<Piece> pieces_;
  std::map<int, Error> first_error_;             // by sender, since its last settle
  std::deque<std::shared_ptr<Parcel>> replies_;  // maybe under way
};

}  // namespace longshore
