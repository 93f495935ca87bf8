// file/write_behind.h - independent transfers of one file through pages, and what keeps them true.
//
// Who sees what. A page has one home, so that all who open the file together see each other's bytes
// there: those of a node at once, those of others once they are shipped, and a rank its own always.
// Storage is brought up to date where MPI's rules let others look: close, sync, a collective
// transfer, a change of size or of atomicity. What goes past the pages (large pieces) first sends
// those that it meets to storage, and they are dropped again before they are read next, in case a
// reader has loaded one meanwhile.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "advise/paging.h"
#include "agent/page_store.h"
#include "agent/shipper.h"
#include "comm/communicator.h"
#include "core/observer.h"
#include "core/result.h"
#include "file/open_mode.h"
#include "independent/access.h"
#include "independent/page_homes.h"
#include "independent/paged.h"
#include "layout/layout.h"
#include "storage/storage.h"

namespace longshore {

// A rank of a group.
struct Member {
  Communicator& comm;
  bool background_threads = false;  // a thread may use the communicator beside the program
};

class WriteBehind {
 public:
  // What the file is, beside what is wished.
  struct Place {
    Storage& storage;
    OpenMode mode;
    Layout layout;
    Observer& observer;
  };

  // Memory for a file's pages, found before the file is open.
  struct Room {
    WriteBehindOptions options;
    Arena* arena = nullptr;  // null: the file does without
    PageGeometry geometry;
    Mailbox* mailbox = nullptr;  // to other nodes, if there are any
    Status prepared{};           // may differ between ranks
  };
  // Collective, with rank 0's options and layout everywhere. No room for a group of one, on a host
  // without shared memory, over hosts without threads, or as wished. The ranks pass a common step
  // before one is started.
  [[nodiscard]] static Room find_room(const Member& self, const Layout& layout,
                                      const WriteBehindOptions& wished);
  // On all ranks alike. REQUIRES: room.arena, prepared.
  WriteBehind(Communicator& comm, const Place& place, const Room& room);
  // Other nodes are served from now on.
  [[nodiscard]] Status start();
  // After a flush, behind which no rank asks another: its storage may be closed.
  void stop_serving();
  // After a common step behind which no rank uses it.
  void retire();

  // True if this transfer is better off in pages.
  [[nodiscard]] bool suits(const Access& access);
  Outcome transfer(const Access& access);
  // The same for one piece of the file and of memory. REQUIRES: not over hosts.
  [[nodiscard]] bool suits_piece(IoKind kind, int64_t bytes) const;
  Outcome move(IoKind kind, const IoPiece& piece) { return move_paged(file_, kind, piece); }
  // A transfer of `bytes` bytes within `range` that does not go through pages, in step with those
  // that do.
  Outcome past(IoKind kind, Extent range, int64_t bytes, const std::function<Outcome()>& direct);
  // This rank's part of a collective write is done.
  void wrote_past(Extent range);

  [[nodiscard]] bool over_hosts() const { return shipper_ != nullptr; }
  // False if there is nothing to flush that this rank knows of.
  [[nodiscard]] bool in_use() const;
  // What this process has written is on storage afterwards, and nothing old is kept. Collective if
  // over hosts, with the same outcome everywhere: then it holds for what all have written.
  [[nodiscard]] Status flush();
  // This node's part of that. What was lost is not told yet.
  [[nodiscard]] Status write_pages();
  // Liao's two-phase flush, for a close over hosts: pages below a stripe have their neighbours on
  // other hosts, so that all dirty bytes are best written by one collective call.
  [[nodiscard]] bool gathers_at_close() const { return gathers_; }
  // Collective: every rank's dirty bytes, as its part of that call.
  [[nodiscard]] Result<Access> begin_gathering();
  void end_gathering();
  // For a program that ends without closing its file, on all ranks, one file after the other in any
  // order. First what this process has shipped arrives; other nodes are still served.
  void begin_rescue();
  // Then, when all ranks are so far, what lies in this node's pages is on storage, and no thread
  // uses MPI for it.
  [[nodiscard]] Status end_rescue();
  [[nodiscard]] Result<int64_t> size() const { return end_of_file(file_); }

 private:
  static PageStore::Terms terms_of(const Place& place, const WriteBehindOptions& options,
                                   bool local, int64_t ranks_here);
  // Pages that meet `range` are on storage and gone, here and on other nodes.
  [[nodiscard]] Status expel_everywhere(Extent range);
  [[nodiscard]] Status make_way(Extent hull);
  [[nodiscard]] Status collect_shipped();
  // True if bytes of `range` may lie in pages of other nodes. REQUIRES: hulls_ is locked.
  [[nodiscard]] bool shipped(Extent range) const;
  void note_shipped(Extent range, int64_t end);
  void begin_forgetting();
  void end_forgetting();
  [[nodiscard]] Status see_past(Extent hull);

  Communicator& comm_;
  bool local_;  // a local file system, and nothing else is wished
  PageStore store_;
  FlushShare share_;
  bool only_read_;
  bool reads_past_;
  bool gathers_;

  std::unique_ptr<PendingBarrier> leaving_;  // between begin_ and end_rescue()
  std::optional<PageHomes> homes_;
  LocalPages pages_;
  std::unique_ptr<Shipper> shipper_;
  std::atomic<int64_t> shipped_end_{0};
  PagedFile file_;

  // If over hosts: what this process has put into pages of other nodes, and what it has written
  // past them. Other threads go on while one flushes: what was before is forgotten when all is
  // done.
  struct Traces {
    Extent shipped;
    Extent past;
  };
  std::mutex seeing_past_;
  std::mutex hulls_;
  Traces recent_;    // since the last flush began
  Traces flushing_;  // before, while that flush is under way
};

}  // namespace longshore
