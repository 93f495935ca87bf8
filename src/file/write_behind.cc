#include "file/write_behind.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "advise/advise.h"

namespace longshore {

namespace {

constexpr int64_t kRemotePageBytes = int64_t{1} << 20;
constexpr Extent kWholeFile{0, std::numeric_limits<int64_t>::max()};

// Ranks below `before` on the node of `rank`.
int ranks_like(const NodeMap& nodes, int rank, int before) {
  const auto& node_of = nodes.node_of_rank;
  return static_cast<int>(
      std::count(node_of.begin(), node_of.begin() + before, node_of[static_cast<size_t>(rank)]));
}

FlushShare share_of_rank(Communicator& comm) {
  return {ranks_like(comm.nodes(), comm.rank(), comm.rank()),
          ranks_like(comm.nodes(), comm.rank(), comm.size())};
}

PageGeometry geometry_for(const WriteBehindOptions& options, int64_t ranks_of_node) {
  return PageGeometry::of(options.page_bytes, options.cache_bytes * ranks_of_node);
}

// As much as the node in most need: an arena that is there is used again, or not, by all alike.
size_t arena_bytes(const NodeMap& nodes, const WriteBehindOptions& options) {
  size_t most = 0;
  for (const auto& ranks : ranks_by_node(nodes)) {
    most = std::max(most, geometry_for(options, std::ssize(ranks)).arena_bytes());
  }
  return most;
}

std::vector<int> agents_of(const Communicator& comm, const WriteBehindOptions& wished) {
  if (wished.agents == WriteBehindOptions::kOnePerNode) {
    return comm.nodes().leader_of_node;
  }
  if (wished.agents > 0) {
    Preferences preferences;
    preferences.aggregators = wished.agents;
    return choose_aggregators(comm.nodes(), preferences, 1);
  }
  const auto named = wished.agent_ranks.all();
  std::vector<int> chosen(named.begin(), named.end());
  std::erase_if(chosen, [&](int rank) { return rank >= comm.size(); });
  if (!chosen.empty()) {
    return chosen;
  }
  std::vector<int> all(static_cast<size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Loading a page costs about as much as this many small reads of a local file, and all ranks of the
// host use it.
constexpr int64_t kReadsInsteadOfLoad = 32;
constexpr int64_t kLongestLocalUseMs = 50;

}  // namespace

PageStore::Terms WriteBehind::terms_of(const Place& place, const WriteBehindOptions& options,
                                       bool local, int64_t ranks_here) {
  PageStore::Terms terms;
  terms.storage = &place.storage;
  terms.readable = place.mode.readable();
  terms.read_only = !place.mode.writable();
  terms.budget_bytes = options.cache_bytes;
  terms.lone_writes_past = local;
  terms.longest_use_ms = local ? kLongestLocalUseMs : terms.longest_use_ms;
  terms.reads_worth_loading = local ? std::max<int64_t>(1, kReadsInsteadOfLoad / ranks_here) : 0;
  return terms;
}

WriteBehind::Room WriteBehind::find_room(const Member& self, const Layout& layout,
                                         const WriteBehindOptions& wished) {
  Communicator& comm = self.comm;
  const bool one_host = comm.nodes().nodes() == 1;
  Room without{in_effect(wished, layout, one_host), nullptr, {}, nullptr};
  without.options.kind = WriteBehindKind::kOff;
  if (!may_have_pages(wished, comm.size(), one_host, self.background_threads)) {
    return without;
  }
  Room room = without;
  room.options.kind = wished.kind;
  const FlushShare share = share_of_rank(comm);
  room.geometry = geometry_for(room.options, share.parts);
  auto arena = comm.arena(arena_bytes(comm.nodes(), room.options));
  if (!arena) {
    return without;  // on all ranks alike
  }
  room.arena = *arena;
  if (!one_host) {
    auto mailbox = comm.mailbox();
    if (!mailbox) {
      return without;  // on all ranks alike
    }
    room.mailbox = *mailbox;
  }
  if (share.part == 0) {
    room.prepared = PageStore(**arena, room.geometry, {}).prepare();
  }
  return room;
}

WriteBehind::WriteBehind(Communicator& comm, const Place& place, const Room& room)
    : comm_(comm),
      local_(pages_are_local(room.options, place.layout, room.mailbox == nullptr)),
      store_(*room.arena, room.geometry,
             terms_of(place, room.options, local_, share_of_rank(comm).parts)),
      share_(share_of_rank(comm)),
      only_read_(!place.mode.writable()),
      reads_past_(reads_go_past_pages(room.options, room.mailbox == nullptr)),
      gathers_(room.mailbox != nullptr &&
               room.geometry.page_bytes <
                   (place.layout.striped ? place.layout.stripe_bytes : kRemotePageBytes)),
      pages_(store_, place.storage),
      file_{store_, place.storage} {
  if (room.mailbox != nullptr) {
    homes_.emplace(agents_of(comm, room.options), comm.nodes(), comm.rank());
    shipper_ = std::make_unique<Shipper>(
        *room.mailbox, pages_,
        ShipOptions{room.options.subbuffer_bytes, room.options.kind != WriteBehindKind::kOneStage,
                    &place.observer});
    file_.shipper = shipper_.get();
    file_.homes = &*homes_;
    file_.shipped_end = &shipped_end_;
  }
}

Status WriteBehind::start() {
  return shipper_ ? AgentThread::of_process().add(*shipper_) : Status{};
}

void WriteBehind::stop_serving() {
  if (shipper_) {
    AgentThread::of_process().remove(*shipper_);
  }
}

void WriteBehind::retire() {
  stop_serving();
  if (share_.part == 0) {
    store_.retire();
  }
}

void WriteBehind::begin_rescue() {
  if (shipper_) {
    (void)shipper_->settle();  // what cannot be sent is lost: nobody is left to be told
    auto begun = comm_.begin_barrier();
    leaving_ = begun ? std::move(*begun) : nullptr;
  }
}

// Others may still be sending: an MPI may wait in MPI_Finalize for messages that nobody takes.
// However late they are, they come here or the launcher ends the program.
Status WriteBehind::end_rescue() {
  while (leaving_) {
    const auto done = leaving_->done();
    if (!done || *done) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stop_serving();
  return store_.expel(kWholeFile);
}

bool WriteBehind::suits(const Access& access) {
  if (reads_past_ && access.kind == IoKind::kRead) {
    const std::lock_guard lock(hulls_);
    return shipped(access.view.hull_of(access.first, access.last));
  }
  return suits_pages(access, local_, store_.geometry().page_bytes);
}

bool WriteBehind::suits_piece(IoKind kind, int64_t bytes) const {
  return bytes < small_piece_bytes(kind, local_, store_.geometry().page_bytes);
}

Outcome WriteBehind::transfer(const Access& access) {
  if (!shipper_) {
    return transfer_paged(file_, access);
  }
  const Extent range = access.view.hull_of(access.first, access.last);
  if (access.kind == IoKind::kRead) {
    const Status seen = see_past(range);
    return seen ? transfer_paged(file_, access) : Outcome{0, seen.error()};
  }
  note_shipped(range, 0);
  const Outcome outcome = transfer_paged(file_, access);
  // Again: a flush that began meanwhile has forgotten the range, but not had all of its bytes.
  note_shipped(range, outcome.ok() ? range.end : 0);
  return outcome;
}

void WriteBehind::note_shipped(Extent range, int64_t end) {
  const std::lock_guard lock(hulls_);
  recent_.shipped = hull(recent_.shipped, range);
  raise_to(shipped_end_, end);
}

Status WriteBehind::expel_everywhere(Extent range) {
  Status there;
  if (shipper_) {
    // One agent of a node answers for all of it: what is on its way to the others must have
    // arrived.
    there = shipper_->settle();
    const Status expelled = shipper_->expel(homes_->others(), range);
    there = there ? expelled : there;
  }
  const Status here = store_.expel(range);
  return there ? here : there;
}

// What this process has put into pages is older than what it moves past them now.
Status WriteBehind::make_way(Extent range) {
  bool elsewhere = false;
  if (shipper_) {
    const std::lock_guard lock(hulls_);
    elsewhere = shipped(range);
  }
  return elsewhere ? expel_everywhere(range) : store_.expel(range);
}

// A page that others have loaded may be older than what this process has written past it. One
// thread at a time: the next one must not go on before such pages are gone.
Status WriteBehind::see_past(Extent range) {
  const std::lock_guard one_at_a_time(seeing_past_);
  Extent old;
  {
    const std::lock_guard lock(hulls_);
    old = hull(recent_.past, flushing_.past);
    if (intersect(old, range).empty()) {
      return {};
    }
    recent_.past = {};
  }
  return expel_everywhere(old);
}

void WriteBehind::wrote_past(Extent range) {
  if (shipper_ && !range.empty()) {
    const std::lock_guard lock(hulls_);
    recent_.past = hull(recent_.past, range);
  }
}

Outcome WriteBehind::past(IoKind kind, Extent range, int64_t bytes,
                          const std::function<Outcome()>& direct) {
  if (only_read_) {
    return direct();  // storage is as good as any page
  }
  if (auto flushed = make_way(range); !flushed) {
    return {0, flushed.error()};
  }
  Outcome outcome = direct();
  if (kind == IoKind::kRead) {
    // Storage may end where the file does not yet.
    const bool ended = outcome.ok() && outcome.bytes < bytes;
    if (ended && (store_.dirty_end() > 0 || shipped_end_ > 0)) {
      auto flushed = expel_everywhere(kWholeFile);
      outcome = flushed ? direct() : Outcome{outcome.bytes, flushed.error()};
    }
    return outcome;
  }
  wrote_past(range);
  if (auto dropped = store_.expel(range); !dropped && outcome.ok()) {
    outcome.error = dropped.error();
  }
  return outcome;
}

bool WriteBehind::in_use() const { return store_.holds_pages() || shipped_end_ > 0; }

bool WriteBehind::shipped(Extent range) const {
  return !intersect(recent_.shipped, range).empty() || !intersect(flushing_.shipped, range).empty();
}

// Over hosts: what all have shipped lies with its owners afterwards.
Status WriteBehind::collect_shipped() {
  const Status settled = shipper_->settle();
  const Status met = comm_.barrier();
  return met ? settled : met;
}

void WriteBehind::begin_forgetting() {
  const std::lock_guard lock(hulls_);
  flushing_.shipped = hull(flushing_.shipped, recent_.shipped);
  flushing_.past = hull(flushing_.past, recent_.past);
  recent_ = {};
}

void WriteBehind::end_forgetting() {
  const std::lock_guard lock(hulls_);
  flushing_ = {};
  shipped_end_ = recent_.shipped.end;
}

Status WriteBehind::write_pages() { return store_.expel(kWholeFile, share_); }

// Over hosts an owner's pages may be written out after this rank's own: only when all have done so
// is storage as good as they are.
Status WriteBehind::flush() {
  const auto write_and_tell = [&] {
    const Status written = write_pages();
    const Status kept = store_.take_lost();
    return written ? kept : written;
  };
  if (!shipper_) {
    return write_and_tell();
  }
  begin_forgetting();
  const Status collected = collect_shipped();
  const Status written = write_and_tell();
  const Status common = agree(comm_, collected ? written : collected);
  if (common) {
    end_forgetting();
  }
  return common;
}

Result<Access> WriteBehind::begin_gathering() {
  if (auto collected = collect_shipped(); !collected) {
    return fail(collected.error());
  }
  const auto dirty = store_.dirty_pieces(share_);
  Access access;
  access.kind = IoKind::kWrite;
  if (dirty.empty()) {
    return access;
  }
  access.base = dirty.front().memory;
  std::vector<Piece> file;
  std::vector<Piece> memory;
  for (const auto& piece : dirty) {
    file.push_back({piece.offset, piece.length});
    memory.push_back({piece.memory - access.base, piece.length});
  }
  const Pattern bytes = Pattern::of_pieces(file);
  access.view = TiledPattern(0, bytes.bounds().end, bytes);
  access.memory = Pattern::of_pieces(memory);
  access.last = bytes.size();
  return access;
}

void WriteBehind::end_gathering() { store_.drop_pages(share_); }

}  // namespace longshore
