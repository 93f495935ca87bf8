// file/file.h - an open file of a group of processes, in MPI's terms but without mpi.h.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/strand.h"
#include "collective/two_phase.h"
#include "comm/communicator.h"
#include "core/result.h"
#include "datatype/pattern.h"
#include "file/hints.h"
#include "file/open_mode.h"
#include "file/report.h"
#include "file/write_behind.h"
#include "independent/access.h"
#include "layout/layout.h"
#include "layout/striping.h"
#include "storage/storage.h"

namespace longshore {

// A process's window on the file.
struct View {
  TiledPattern pattern;
  int64_t etype_bytes = 1;   // in the file's data representation
  uint64_t datarep_id = 0;   // a hash of its name; equal on all ranks
  int64_t etype_extent = 1;  // must be equal on all ranks
};

// The memory side of a call, in stream order.
struct Memory {
  Pattern pattern;
  std::byte* base = nullptr;
};

enum class Pointer { kExplicit, kIndividual, kShared };

// Which of MPI's data access routines is meant.
struct Operation {
  IoKind kind = IoKind::kRead;
  Pointer pointer = Pointer::kExplicit;
  bool collective = false;  // with kShared: the ordered routines
};

enum class Whence { kSet, kCurrent, kEnd };

// What a rank brings to an open besides the program's arguments.
struct OpenTerms {
  bool background_threads = false;  // several threads may use the communicator
  Status ready;                     // an error makes all ranks fail
};

// Offsets and pointers count etypes of the current view. Methods marked collective are called by
// all ranks in the same order and return the same error class on all of them; the others may be
// called by any thread at any time.
class File {
 public:
  using Done = std::function<void(Outcome)>;

  // Collective.
  [[nodiscard]] static Result<std::unique_ptr<File>> open(std::shared_ptr<Communicator> comm,
                                                          const std::string& path, OpenMode mode,
                                                          const HintMap& hints,
                                                          const OpenTerms& terms);
  // The program ends and has not closed the file: saves what can be saved. The first for all files,
  // then the second: see WriteBehind.
  void begin_rescue();
  void end_rescue();
  // Tells what was asked to be told of this rank's part, once, if the file was not closed. Without
  // MPI: the process may be about to exit.
  void tell_left_open();
  // Collective; waits for what is under way. The object is done with afterwards, also on failure.
  [[nodiscard]] Status close();
  ~File();

  // Carries out a call and returns the bytes moved. Collective if the operation is. `ready` is what
  // the caller's checks found: a failed collective call is still joined, so that no one waits.
  Outcome run(const Operation& operation, int64_t offset_etypes, const Memory& memory,
              const Status& ready);
  // The same behind the program's back: returns once the pointers have moved; `done` is called
  // later from another thread, or before this returns.
  void start(const Operation& operation, int64_t offset_etypes, const Memory& memory,
             const Status& ready, Done done);

  // Lets the calling thread, which waits for a started operation, carry out what no thread has
  // begun yet; returns when `enough` holds or another thread is at it.
  void assist(const Operation& operation, const std::function<bool()>& enough);

  // Collective. Resets the pointers. A failed `view` makes all ranks fail, and nothing changes.
  [[nodiscard]] Status set_view(const Result<View>& view, const HintMap& hints);
  [[nodiscard]] const View& view() const { return view_; }

  [[nodiscard]] Status seek(int64_t offset_etypes, Whence whence);
  // Collective; fails everywhere if `from` is an error somewhere.
  [[nodiscard]] Status seek_shared(int64_t offset_etypes, const Result<Whence>& from);
  [[nodiscard]] Result<int64_t> position();
  [[nodiscard]] Result<int64_t> position_shared();
  // The absolute byte of a position in the view.
  [[nodiscard]] Result<int64_t> byte_offset(int64_t offset_etypes) const;
  // Where MPI_DISPLACEMENT_CURRENT is.
  [[nodiscard]] Result<int64_t> shared_byte_offset();

  [[nodiscard]] Result<int64_t> size();
  [[nodiscard]] Status set_size(int64_t size_bytes);     // collective
  [[nodiscard]] Status preallocate(int64_t size_bytes);  // collective
  [[nodiscard]] Status sync();                           // collective
  [[nodiscard]] Status set_atomicity(bool atomic);       // collective
  [[nodiscard]] bool atomicity() const { return atomic_; }
  [[nodiscard]] Status set_info(const HintMap& hints);  // collective
  [[nodiscard]] HintMap info() const;
  [[nodiscard]] OpenMode mode() const { return mode_; }
  [[nodiscard]] Communicator& communicator() { return *comm_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  File(std::shared_ptr<Communicator> comm, std::string path, OpenMode mode);

  [[nodiscard]] Status open_here(bool created);
  [[nodiscard]] Status open_first();
  [[nodiscard]] Status open_everywhere(const Status& ready);
  void add_hints(const HintMap& hints);
  void complain(const std::vector<std::string>& complaints) const;
  [[nodiscard]] Status share_preferences();
  [[nodiscard]] WriteBehindOptions wished_write_behind() const;
  [[nodiscard]] Status begin_data_shipping();
  [[nodiscard]] Status open_pages(const Status& opened, const WriteBehindOptions& wished);
  void withdraw_pages();
  [[nodiscard]] Layout own_layout() const;
  [[nodiscard]] Status start_pointers();

  // A call with its place in the file found: what the engines need.
  struct Call {
    Access access;
    Status ready;
    bool collective = false;
    bool at_close = false;        // it is not the program's, but brings pages to storage
    bool after_flush = false;     // what ranks have in pages goes to storage first
    std::optional<Outcome> done;  // the rank's bytes have been moved already
  };
  [[nodiscard]] Status check(const Operation& operation, int64_t offset_etypes,
                             const Memory& memory) const;
  [[nodiscard]] Call locate(const Operation& operation, int64_t offset_etypes, const Memory& memory,
                            const Status& ready);
  [[nodiscard]] Result<int64_t> first_position(const Operation& operation, int64_t offset_etypes,
                                               int64_t bytes, const Status& ready);
  [[nodiscard]] Result<int64_t> ordered_position(int64_t bytes, const Status& ready);
  // `locked`: someone holds a lock on all bytes of the call already.
  Outcome run_alone(const Call& call, bool locked);
  // An independent call: through pages, or alone.
  Outcome run_independent_call(const Call& call);
  // What other ranks may look at next is on storage, and no old byte is kept. Collective.
  [[nodiscard]] Status flush();
  [[nodiscard]] Status flush_before(const Summary& summary);
  [[nodiscard]] Status flush_for_close();
  void start_alone(std::shared_ptr<Call> call, const Done& done);
  Outcome transfer_alone(const Call& call);
  [[nodiscard]] bool is_plain(const Operation& operation, const Memory& memory) const;
  Outcome run_plain(const Operation& operation, int64_t offset_etypes, const Memory& memory);
  void step_back(const Operation& operation, Extent stream, int64_t moved);
  void count_call(IoKind kind, bool collective, const Outcome& outcome);
  [[nodiscard]] FileFacts facts() const;
  Outcome run_atomically(const Call& call, const Census& census);
  Outcome run_together(const Call& call);
  Outcome run_beside_pages(const Call& located);
  Outcome run_on_storage(const Call& call);
  Outcome run_located(const Call& call, const Census& census);
  Outcome run_through_aggregators(const Call& call, const Census& census, const Strategy& strategy);
  [[nodiscard]] bool needs_no_help(const Call& call) const;
  [[nodiscard]] Result<Census> census(const Call& call);
  [[nodiscard]] IndependentOptions independent_options() const;
  [[nodiscard]] Result<int64_t> target(int64_t offset_etypes, Whence whence, int64_t current);
  [[nodiscard]] Result<int64_t> end_position();
  [[nodiscard]] Status same_everywhere(std::vector<int64_t> values, const Status& mine);
  [[nodiscard]] Status ready_for_size(int64_t size_bytes);
  [[nodiscard]] Status on_rank_zero(const std::function<Status()>& task);

  std::shared_ptr<Communicator> comm_;
  std::string path_;
  OpenMode mode_;
  Hints hints_;
  std::vector<int> aggregators_;
  Layout layout_;
  StripingOutcome striping_ = StripingOutcome::kNotAsked;
  Observer observer_;
  Reports reports_;  // rank 0's wishes
  int64_t opened_ns_ = 0;
  std::atomic<bool> told_{false};  // what was asked to be told at the end
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<WriteBehind> write_behind_;  // null: independent calls go straight to storage
  View view_;
  std::atomic<bool> atomic_{false};
  bool background_threads_ = false;

  std::mutex pointer_mutex_;
  int64_t pointer_ = 0;                    // stream position of the individual pointer, in bytes
  std::atomic<bool> shared_moved_{false};  // this rank used the shared pointer since it was reset

  std::mutex locks_;
  ViewCache views_;
  Workspace workspace_{observer_};
  Strand together_;  // nonblocking collectives, in order
  Strand alone_;     // other nonblocking operations
};

}  // namespace longshore
