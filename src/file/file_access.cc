// Data access: finds the place of a call in the file and hands it to an engine.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "advise/advise.h"
#include "advise/describe.h"
#include "file/file.h"
#include "independent/range_lock.h"

namespace longshore {

namespace {

Extent hull_of(const Access& access) {
  return access.bytes() == 0 ? Extent{} : access.view.hull_of(access.first, access.last);
}

}  // namespace

Status File::check(const Operation& operation, int64_t offset_etypes, const Memory& memory) const {
  const bool reads = operation.kind == IoKind::kRead;
  if (reads && !mode_.readable()) {
    return fail(ErrorClass::kAccess, path_ + " is open for writing only");
  }
  if (!reads && !mode_.writable()) {
    return fail(ErrorClass::kReadOnly, path_ + " is open for reading only");
  }
  if (mode_.sequential && operation.pointer != Pointer::kShared) {
    return fail(ErrorClass::kUnsupportedOperation,
                "a sequential file is accessed through the shared pointer only");
  }
  if (operation.pointer == Pointer::kExplicit && offset_etypes < 0) {
    return fail(ErrorClass::kInvalidArgument, "a negative offset");
  }
  if (memory.pattern.size() % view_.etype_bytes != 0) {
    return fail(ErrorClass::kIo, "only whole etypes of the view can be accessed");
  }
  if (memory.pattern.size() > 0 && view_.pattern.tile().size() == 0) {
    return fail(ErrorClass::kIo, "the view has no bytes");
  }
  return {};
}

// Ranks follow each other in the file: rank 0 moves the shared pointer for all of them.
Result<int64_t> File::ordered_position(int64_t bytes, const Status& ready) {
  const int64_t own = ready ? bytes : 0;
  std::vector<int64_t> all(static_cast<size_t>(comm_->size()));
  if (auto status = comm_->all_gather(std::as_bytes(std::span(&own, 1)),
                                      std::as_writable_bytes(std::span(all)));
      !status) {
    return fail(status.error());
  }
  const auto mine = all.begin() + comm_->rank();
  const int64_t below = std::accumulate(all.begin(), mine, int64_t{0});
  const int64_t total = std::accumulate(mine, all.end(), below);
  std::array<int64_t, 2> base{0, 0};  // where the group begins, error class
  if (comm_->rank() == 0) {
    auto before = comm_->counter().fetch_add(total);
    base = before ? std::array<int64_t, 2>{*before, 0}
                  : std::array<int64_t, 2>{0, static_cast<int64_t>(before.error().code)};
  }
  if (auto told = comm_->broadcast(std::as_writable_bytes(std::span(base)), 0); !told) {
    return fail(told.error());
  }
  if (base[1] != 0) {
    return fail(static_cast<ErrorClass>(base[1]), "the shared pointer is out of reach");
  }
  return base[0] + below;
}

Result<int64_t> File::first_position(const Operation& operation, int64_t offset_etypes,
                                     int64_t bytes, const Status& ready) {
  if (operation.pointer == Pointer::kShared) {
    shared_moved_ = true;
    return operation.collective ? ordered_position(bytes, ready)
                                : comm_->counter().fetch_add(bytes);
  }
  if (operation.pointer == Pointer::kExplicit) {
    int64_t position = 0;
    if (__builtin_mul_overflow(offset_etypes, view_.etype_bytes, &position)) {
      return fail(ErrorClass::kInvalidArgument, "an offset beyond all files");
    }
    return position;
  }
  const std::lock_guard lock(pointer_mutex_);
  return std::exchange(pointer_, pointer_ + bytes);
}

File::Call File::locate(const Operation& operation, int64_t offset_etypes, const Memory& memory,
                        const Status& ready) {
  Call call;
  call.collective = operation.collective;
  call.access.kind = operation.kind;
  call.ready = ready ? check(operation, offset_etypes, memory) : ready;
  const bool ordered = operation.collective && operation.pointer == Pointer::kShared;
  if (!call.ready && !ordered) {
    return call;  // ordered calls find their place together, also with one that fails
  }
  auto first = first_position(operation, offset_etypes, memory.pattern.size(), call.ready);
  if (!call.ready) {
    return call;
  }
  if (!first) {
    call.ready = fail(first.error());
    return call;
  }
  call.access.view = view_.pattern;
  call.access.first = *first;
  call.access.last = *first + memory.pattern.size();
  call.access.memory = memory.pattern;
  call.access.base = memory.base;
  return call;
}

IndependentOptions File::independent_options() const {
  IndependentOptions options = hints_.independent;
  // A sieved write reads, and what it writes back may be in a page meanwhile.
  if (mode_.write_only || write_behind_) {
    options.write = Sieving::kDisable;
  }
  options.prefetch.block_bytes = prefetch_block_bytes(layout_, storage_->block_bytes());
  return options;
}

Outcome File::run_alone(const Call& call, bool locked) {
  if (!call.ready) {
    return {0, call.ready.error()};
  }
  IndependentOptions options = independent_options();
  options.observer = &observer_;
  options.counts_ways = !call.collective;
  std::optional<Result<RangeLock>> lock;
  if (locked) {
    options.locks = nullptr;
  } else if (atomic_ && call.access.bytes() > 0) {
    lock.emplace(RangeLock::take(*storage_, locks_, hull_of(call.access),
                                 call.access.kind == IoKind::kWrite));
    if (!*lock) {
      return {0, lock->error()};
    }
  } else {
    options.locks = &locks_;
  }
  return run_independent(*storage_, call.access, options);
}

// The calls of the program, as it sees them.
void File::count_call(IoKind kind, bool collective, const Outcome& outcome) {
  const bool writes = kind == IoKind::kWrite;
  if (!collective) {
    observer_.count(writes ? Counter::kIndependentWriteBytes : Counter::kIndependentReadBytes,
                    outcome.bytes);
    return;
  }
  observer_.count(writes ? Counter::kCollectiveWrites : Counter::kCollectiveReads, 1);
  observer_.count(writes ? Counter::kCollectiveWriteBytes : Counter::kCollectiveReadBytes,
                  outcome.bytes);
}

Outcome File::transfer_alone(const Call& call) {
  if (!write_behind_ || atomic_ || call.access.bytes() == 0) {
    return run_alone(call, false);
  }
  if (write_behind_->suits(call.access)) {
    if (!call.collective) {
      const bool writes = call.access.kind == IoKind::kWrite;
      observer_.count(writes ? Counter::kWritesPages : Counter::kReadsPages, 1);
    }
    return write_behind_->transfer(call.access);
  }
  return write_behind_->past(call.access.kind, hull_of(call.access), call.access.bytes(),
                             [&] { return run_alone(call, false); });
}

Outcome File::run_independent_call(const Call& call) {
  if (!call.ready) {
    return {0, call.ready.error()};
  }
  const CallTimer timer(observer_, call.access.kind == IoKind::kWrite ? "write" : "read");
  const Outcome outcome = transfer_alone(call);
  count_call(call.access.kind, call.collective, outcome);
  if (call.collective) {
    observer_.count(Counter::kCollectiveAlone, 1);
  }
  return outcome;
}

bool File::needs_no_help(const Call& call) const {
  const Site site{comm_->nodes(), layout_, aggregators_};
  return call.ready && !atomic_ && longshore::needs_no_help(call.access, site, hints_.collective);
}

Result<Census> File::census(const Call& call) {
  const bool failed = call.done && !call.done->ok();
  Share mine = share_of(call.access, failed ? fail(call.done->error) : call.ready,
                        call.done || needs_no_help(call));
  mine.done = call.done.has_value();
  mine.buffers = call.after_flush && write_behind_->in_use();
  if (mine.exchanges()) {
    mine.view_bytes = views_.image_bytes(call.access.view);
  }
  return take_census(*comm_, mine, census_kind(*comm_));
}

namespace {

// Overlapping writes end as if in the order of ranks: messages are put in place one after the
// other. All ranks may have bytes everywhere, so the buffer for them is shared out.
void in_rank_order(Strategy& strategy, int ranks) {
  strategy.in_rank_order = true;
  strategy.near = ExchangeKind::kTwoSided;
  strategy.far = ExchangeKind::kTwoSided;
  strategy.partition.window_bytes =
      std::max<int64_t>(1, strategy.partition.window_bytes / std::max(1, ranks));
}

}  // namespace

Outcome File::run_located(const Call& call, const Census& census) {
  Preferences preferences = hints_.collective;
  if (atomic_) {
    // Overlapping writes must end as if in some order: only aggregators can see to that.
    const bool several = census.summary.exchanging > 1;
    preferences.collective_write = several ? Choice::kEnable : Choice::kAutomatic;
  }
  const Site site{comm_->nodes(), layout_, aggregators_};
  Strategy strategy = choose_strategy(call.access.kind, census.summary, site, preferences);
  if (atomic_) {
    in_rank_order(strategy, comm_->size());
  }
  const bool writes = call.access.kind == IoKind::kWrite;
  observer_.decisions.note(call.at_close ? "flush at close"
                           : writes      ? "write_all"
                                         : "read_all",
                           fingerprint(strategy), strategy.reason,
                           [&] { return describe(strategy); });
  if (strategy.two_phase) {
    return run_through_aggregators(call, census, strategy);
  }
  observer_.count(Counter::kCollectiveAlone, call.at_close ? 0 : 1);
  if (!census.summary.someone_unfinished) {
    return call.done.value_or(Outcome{});  // the census has told of everyone's outcome
  }
  Outcome own = call.done ? *call.done : run_alone(call, atomic_);
  const Status common = agree(*comm_, own.ok() ? Status{} : fail(own.error));
  own.error = common ? Error{} : common.error();
  return own;
}

// A rank whose pieces need no help moves them itself and then serves the others.
Outcome File::run_through_aggregators(const Call& call, const Census& census,
                                      const Strategy& strategy) {
  const bool others_sieve = independent_options().write == Sieving::kEnable && !atomic_;
  TwoPhaseParts parts{*comm_, *storage_, views_, workspace_, others_sieve ? &locks_ : nullptr, {}};
  if (census.own.exchanges()) {
    return run_two_phase(parts, call.access, census, strategy);
  }
  const Outcome own = call.done ? *call.done : run_alone(call, atomic_);
  parts.before = own.ok() ? Status{} : fail(own.error);
  Access nothing;
  nothing.kind = call.access.kind;
  return {own.bytes, run_two_phase(parts, nothing, census, strategy).error};
}

Outcome File::run_together(const Call& call) {
  const CallTimer timer(observer_, call.access.kind == IoKind::kWrite ? "write_all" : "read_all");
  const Outcome outcome = write_behind_ ? run_beside_pages(call) : run_on_storage(call);
  count_call(call.access.kind, call.collective, outcome);
  return outcome;
}

// The engine works on storage: pages go there first, and what a rank has loaded while others wrote
// is dropped afterwards.
Outcome File::run_beside_pages(const Call& located) {
  Call call = located;
  call.after_flush = write_behind_->over_hosts();
  if (!call.after_flush) {
    if (auto flushed = flush(); !flushed && call.ready) {
      call.ready = flushed;
    }
  }
  const Outcome outcome = run_on_storage(call);
  if (call.access.kind == IoKind::kWrite) {
    write_behind_->wrote_past(hull_of(call.access));
    if (!write_behind_->over_hosts()) {
      (void)write_behind_->write_pages();  // what cannot be written is told by the next call
    }
  }
  return outcome;
}

// Over hosts a flush takes all ranks: the census has told whether it is needed.
Status File::flush_before(const Summary& summary) {
  return summary.someone_buffers ? flush() : Status{};
}

// A rank whose pieces need no help moves them before it meets the others: if that is so everywhere,
// the census is the only step of the call.
Outcome File::run_on_storage(const Call& located) {
  Call call = located;
  if (!call.after_flush && needs_no_help(call)) {
    call.done = run_alone(call, false);
  }
  const auto taken = [&] {
    const Phase phase(observer_, Counter::kPlanNs, "census", "engine");
    return census(call);
  }();
  const int64_t moved = call.done ? call.done->bytes : 0;
  if (!taken) {
    return {moved, taken.error()};
  }
  const Summary& summary = taken->summary;
  if (summary.worst != ErrorClass::kOk) {
    const Error own = call.done ? call.done->error : call.ready ? Error{} : call.ready.error();
    return {moved, own.code == summary.worst
                       ? own
                       : Error{summary.worst, 0, "another process of the call failed"}};
  }
  if (auto flushed = flush_before(summary); !flushed) {
    return {moved, flushed.error()};
  }
  if (!atomic_ || summary.touched.empty()) {
    return run_located(call, *taken);
  }
  return run_atomically(call, *taken);
}

// Rank 0 holds the lock of all bytes for everyone, so that the call is one step to others. The
// call itself is then carried out as if in rank order, through aggregators.
Outcome File::run_atomically(const Call& call, const Census& census) {
  std::optional<Result<RangeLock>> lock;
  const Status granted = on_rank_zero([&]() -> Status {
    lock.emplace(RangeLock::take(*storage_, locks_, census.summary.touched,
                                 call.access.kind == IoKind::kWrite));
    return *lock ? Status{} : fail(lock->error());
  });
  if (!granted) {
    return {0, granted.error()};
  }
  return run_located(call, census);
}

// One piece of the file, one of memory, and nothing about the file that asks for more.
bool File::is_plain(const Operation& operation, const Memory& memory) const {
  return !operation.collective && operation.pointer != Pointer::kShared && !atomic_ &&
         memory.pattern.size() > 0 && memory.pattern.contiguous() && view_.pattern.dense() &&
         hints_.independent.write != Sieving::kEnable &&
         !(write_behind_ && write_behind_->over_hosts());
}

// Small calls come by the million: no pattern is copied for them.
Outcome File::run_plain(const Operation& operation, int64_t offset_etypes, const Memory& memory) {
  const int64_t bytes = memory.pattern.size();
  const auto first = first_position(operation, offset_etypes, bytes, {});
  if (!first) {
    return {0, first.error()};
  }
  const bool writes = operation.kind == IoKind::kWrite;
  const CallTimer timer(observer_, writes ? "write" : "read");
  const IoPiece piece{view_.pattern.offset_at(*first), memory.base + memory.pattern.bounds().begin,
                      bytes};
  Outcome outcome;
  if (write_behind_ && write_behind_->suits_piece(operation.kind, bytes)) {
    observer_.count(writes ? Counter::kWritesPages : Counter::kReadsPages, 1);
    outcome = write_behind_->move(operation.kind, piece);
  } else {
    observer_.count(writes ? Counter::kWritesDirect : Counter::kReadsDirect, 1);
    const auto direct = [&] { return storage_->transfer(operation.kind, {&piece, 1}); };
    outcome = write_behind_
                  ? write_behind_->past(operation.kind, {piece.offset, piece.offset + bytes}, bytes,
                                        direct)
                  : direct();
  }
  count_call(operation.kind, false, outcome);
  step_back(operation, {*first, *first + bytes}, outcome.bytes);
  return outcome;
}

// A short transfer leaves the pointer behind what was moved, unless another thread went on.
void File::step_back(const Operation& operation, Extent stream, int64_t moved) {
  if (operation.pointer == Pointer::kIndividual && moved < stream.length()) {
    const std::lock_guard lock(pointer_mutex_);
    pointer_ = pointer_ == stream.end ? stream.begin + moved : pointer_;
  }
}

Outcome File::run(const Operation& operation, int64_t offset_etypes, const Memory& memory,
                  const Status& ready) {
  if (ready && is_plain(operation, memory) && check(operation, offset_etypes, memory)) {
    return run_plain(operation, offset_etypes, memory);
  }
  if (operation.collective) {
    together_.drain();
  }
  const Call call = locate(operation, offset_etypes, memory, ready);
  const Outcome outcome = operation.collective ? run_together(call) : run_independent_call(call);
  step_back(operation, {call.access.first, call.access.last}, outcome.bytes);
  return outcome;
}

// Small transfers are over before a thread would have woken up.
void File::start_alone(std::shared_ptr<Call> call, const Done& done) {
  constexpr int64_t kInlineBytes = 64 * 1024;
  const bool small = call->access.bytes() <= kInlineBytes && !atomic_;
  if (!background_threads_ || small) {
    done(run_independent_call(*call));
    return;
  }
  alone_.post([this, call = std::move(call), done] { done(run_independent_call(*call)); });
}

void File::start(const Operation& operation, int64_t offset_etypes, const Memory& memory,
                 const Status& ready, Done done) {
  if (operation.collective && operation.pointer == Pointer::kShared) {
    together_.drain();  // finding the place of an ordered call is a collective step of its own
  }
  auto call = std::make_shared<Call>(locate(operation, offset_etypes, memory, ready));
  // Without threads a nonblocking collective must not wait for others: every rank for itself.
  if (!operation.collective || !background_threads_) {
    start_alone(std::move(call), done);
    return;
  }
  together_.post(
      [this, call = std::move(call), done = std::move(done)] { done(run_together(*call)); });
}

void File::assist(const Operation& operation, const std::function<bool()>& enough) {
  (operation.collective ? together_ : alone_).help(enough);
}

}  // namespace longshore
