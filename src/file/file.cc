// Opening, closing, views, pointers and the file as a whole; data access is in file_access.cc.
#include "file/file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "core/clock.h"
#include "file/layout_news.h"
#include "file/path.h"
#include "layout/ceph_probe.h"
#include "storage/counting.h"
#include "storage/fault_plan.h"
#include "storage/faulty.h"
#include "storage/zero_fill.h"

namespace longshore {

namespace {

bool verbose() { return std::getenv("LONGSHORE_VERBOSE") != nullptr; }

// LONGSHORE_FAULTS makes a file fail on purpose, to see how a program takes it.
Result<std::unique_ptr<Storage>> with_faults(Result<std::unique_ptr<Storage>> opened, int rank,
                                             const std::string& path) {
  const char* text = std::getenv("LONGSHORE_FAULTS");
  if (text == nullptr || !opened) {
    return opened;
  }
  auto plan = parse_fault_plan(text);
  if (!plan) {
    return fail(plan.error());
  }
  return inject_faults(std::move(*opened), plan->select(rank, path), SteadyClock::instance());
}

}  // namespace

File::File(std::shared_ptr<Communicator> comm, std::string path, OpenMode mode)
    : comm_(std::move(comm)), path_(std::move(path)), mode_(mode) {}

File::~File() = default;

Result<std::unique_ptr<File>> File::open(std::shared_ptr<Communicator> comm,
                                         const std::string& path, OpenMode mode,
                                         const HintMap& hints, const OpenTerms& terms) {
  std::unique_ptr<File> file(new File(std::move(comm), without_prefix(path), mode));
  file->background_threads_ = terms.background_threads;
  std::vector<std::string> complaints;
  file->hints_ = hints_from_environment(complaints);
  file->complain(complaints);
  file->add_hints(hints);
  if (auto status = file->open_everywhere(terms.ready ? longshore::check(mode) : terms.ready);
      !status) {
    return fail(status.error());
  }
  if (auto status = file->start_pointers(); !status) {
    file->withdraw_pages();
    if (file->hints_.shipping.wanted) {
      (void)file->storage_->stop_data_shipping();
    }
    return fail(status.error());
  }
  if (file->reports_.stats) {
    report_open(*file->comm_, file->path_);
  }
  return file;
}

Status File::open_here(bool created) {
  OpenOptions options;
  options.read = mode_.readable();
  options.write = mode_.writable();
  options.create = mode_.create && comm_->rank() == 0;
  options.exclusive = mode_.exclusive && comm_->rank() == 0 && !created;
  auto storage = with_faults(open_storage(path_, options, hints_.storage), comm_->rank(), path_);
  if (!storage) {
    return fail(storage.error());
  }
  storage_ = std::make_unique<CountingStorage>(std::move(*storage), observer_);
  return {};
}

// Rank 0's part: makes the file with the stripes that are wished, opens it and looks how it lies.
Status File::open_first() {
  const StripingWish wish{hints_.collective.stripe_bytes, hints_.striping_factor,
                          hints_.start_iodevice};
  Creation creation;
  if (mode_.create) {
    creation = create_striped(probe_for(path_), {path_, wish});
  }
  if (creation.outcome == StripingOutcome::kRefused) {
    complain({"striping refused: " + creation.refusal.detail});
  }
  if (auto opened = open_here(creation.created); !opened) {
    return opened;
  }
  Error trouble;
  layout_ = read_layout(probe_for(path_), path_, &trouble);
  if (trouble.code != ErrorClass::kOk) {
    complain({"layout not known: " + trouble.detail});
  }
  striping_ = outcome_of(wish, creation, layout_);
  layout_ = own_layout();
  return {};
}

// Once all have come (programs let every rank delete a file and then open it), rank 0 opens, so
// that exactly one process creates, and gives its word on all that must be the same everywhere;
// then the others open, all together.
Status File::open_everywhere(const Status& ready) {
  struct Word {
    int64_t error = 0;
    Preferences preferences;
    WriteBehindOptions write_behind;
    LayoutNews layout;
    Reports reports;
    bool ships = false;
  } word;
  static_assert(std::is_trivially_copyable_v<Word>);
  if (auto same = same_everywhere({mode_.fingerprint(), background_threads_ ? 1 : 0}, ready);
      !same) {
    return same;
  }
  const bool first = comm_->rank() == 0;
  Status opened;
  if (first) {
    opened = open_first();
    word.error = opened ? 0 : static_cast<int64_t>(opened.error().code);
    word.preferences = hints_.collective;
    word.write_behind = wished_write_behind();
    word.layout = news_of(layout_, striping_);
    word.reports = wanted_reports();
    word.ships = hints_.shipping.wanted;
  }
  if (auto told = comm_->broadcast(std::as_writable_bytes(std::span(&word, 1)), 0); !told) {
    return told;
  }
  auto layout = share_layout(*comm_, word.layout, layout_);
  if (!layout) {
    return fail(layout.error());
  }
  hints_.collective = word.preferences;
  hints_.shipping.wanted = word.ships;
  layout_ = *layout;
  striping_ = word.layout.striping;
  reports_ = word.reports;
  observer_.trace = reports_.trace ? std::make_unique<Trace>() : nullptr;
  observer_.times = reports_.stats || reports_.trace;
  opened_ns_ = observer_.clock.now_ns();
  aggregators_ = choose_aggregators(comm_->nodes(), hints_.collective, comm_->nodes().cores);
  if (!first) {
    opened = word.error == 0
                 ? open_here(false)
                 : fail(static_cast<ErrorClass>(word.error), "rank 0 could not open " + path_);
  }
  if (first && opened) {
    opened = comm_->counter().store(0);  // before anyone is let through
  }
  if (word.error != 0) {
    return agree(*comm_, opened);
  }
  const Status paged = open_pages(opened, word.write_behind);
  return paged && hints_.shipping.wanted ? begin_data_shipping() : paged;
}

// Advice: a refusal is not an error, and is seen in the file's info.
Status File::begin_data_shipping() {
  std::string refusal;
  const auto ships =
      begin_shipping(*comm_, *storage_, hints_.shipping, layout_.stripe_bytes, refusal);
  hints_.shipping.wanted = ships && *ships;
  if (!hints_.shipping.wanted) {
    complain({"no data shipping: " +
              (refusal.empty() ? std::string("a rank's file has none") : refusal)});
  }
  return ships ? Status{} : fail(ships.error());
}

// Ends with a step of all ranks, behind which pages may be used: by all, or by none if one of them
// has no memory or no thread for them.
Status File::open_pages(const Status& opened, const WriteBehindOptions& wished) {
  const auto room = WriteBehind::find_room({*comm_, background_threads_}, layout_, wished);
  hints_.write_behind = room.options;
  Status paged = room.prepared;
  if (opened && paged && room.arena != nullptr) {
    write_behind_ = std::make_unique<WriteBehind>(
        *comm_, WriteBehind::Place{*storage_, mode_, layout_, observer_}, room);
    paged = write_behind_->start();
  } else if (room.mailbox != nullptr) {
    ++room.mailbox->sessions_past;  // as on the ranks that could open
  }
  bool lacking = !paged;
  const Status agreed = agree(*comm_, opened, lacking);
  if (!agreed || lacking) {
    withdraw_pages();
  }
  if (!paged) {
    complain({"no pages: " + paged.error().detail});
  }
  return agreed;
}

// On all ranks alike, behind a common step.
void File::withdraw_pages() {
  hints_.write_behind.kind = WriteBehindKind::kOff;
  if (write_behind_) {
    write_behind_->retire();
    write_behind_.reset();
  }
}

WriteBehindOptions File::wished_write_behind() const {
  const bool sieves = hints_.independent.write == Sieving::kEnable && !mode_.write_only;
  const bool one_host = comm_->nodes().nodes() == 1;
  return if_written(beside_sieving(hints_.write_behind, sieves), mode_.writable(), one_host);
}

Status File::flush() { return write_behind_ ? write_behind_->flush() : Status{}; }

void File::add_hints(const HintMap& hints) {
  std::vector<std::string> complaints;
  const auto pages = hints_.write_behind;
  const auto shipping = hints_.shipping;
  hints_.apply(hints, complaints);
  if (storage_) {
    hints_.write_behind = pages;  // are settled at the open
    hints_.shipping = shipping;
  }
  complain(complaints);
}

void File::complain(const std::vector<std::string>& complaints) const {
  if (verbose() && comm_->rank() == 0) {
    for (const auto& complaint : complaints) {
      std::fprintf(stderr, "longshore: %s: %s\n", path_.c_str(), complaint.c_str());
    }
  }
}

// Where stripes are not known, hints may describe them.
Layout File::own_layout() const {
  if (layout_.file_system != FileSystem::kPlain) {
    return layout_;
  }
  return plain_layout(storage_->block_bytes(), hints_.collective.stripe_bytes,
                      hints_.striping_factor);
}

// Collective decisions must be the same everywhere, whatever infos the ranks passed and however
// their hosts mount the file system: rank 0's word counts.
Status File::share_preferences() {
  const Layout own = own_layout();
  struct Word {
    Preferences preferences;
    LayoutNews layout;
  } word{hints_.collective, news_of(own, striping_)};
  if (auto told = comm_->broadcast(std::as_writable_bytes(std::span(&word, 1)), 0); !told) {
    return told;
  }
  auto layout = share_layout(*comm_, word.layout, own);
  if (!layout) {
    return fail(layout.error());
  }
  hints_.collective = word.preferences;
  layout_ = *layout;
  aggregators_ = choose_aggregators(comm_->nodes(), hints_.collective, comm_->nodes().cores);
  return {};
}

// With MPI_MODE_APPEND all pointers start at the end of the file.
Status File::start_pointers() {
  if (!mode_.append) {
    return {};
  }
  auto end = storage_->size();
  if (end) {
    pointer_ = *end;
  }
  Status status = end ? Status{} : fail(end.error());
  if (status && comm_->rank() == 0) {
    status = comm_->counter().store(*end);
  }
  return agree(*comm_, status);
}

// What a collective call cannot write, and where none is worth it, every host writes on its own.
Status File::flush_for_close() {
  if (!write_behind_ || !write_behind_->gathers_at_close() || !mode_.writable() || atomic_) {
    return flush();
  }
  auto dirty = write_behind_->begin_gathering();
  Call call;
  call.collective = true;
  call.at_close = true;
  call.access.kind = IoKind::kWrite;
  if (dirty) {
    call.access = std::move(*dirty);
  } else {
    call.ready = fail(dirty.error());
  }
  if (run_on_storage(call).ok()) {
    write_behind_->end_gathering();
  }
  const Status rest = flush();
  return call.ready ? rest : call.ready;
}

void File::begin_rescue() {
  if (write_behind_) {
    together_.drain();
    write_behind_->begin_rescue();
  }
}

void File::end_rescue() {
  if (write_behind_) {
    (void)write_behind_->end_rescue();
  }
}

void File::tell_left_open() {
  if (!told_.exchange(true) && comm_) {
    report_left_open(*comm_, facts(), observer_, reports_);
  }
}

FileFacts File::facts() const {
  return observer_.times ? FileFacts{path_, layout_, info(), opened_ns_} : FileFacts{};
}

Status File::close() {
  together_.drain();
  alone_.drain();
  const Status flushed = [&] {
    const CallTimer timer(observer_, "close");
    return flush_for_close();
  }();
  // After this nobody works on the file any more, so that it and the group can be let go.
  workspace_.buffers.release();
  if (write_behind_) {
    write_behind_->stop_serving();
  }
  told_ = true;
  report(*comm_, facts(), observer_, reports_);
  const Status stopped = hints_.shipping.wanted ? storage_->stop_data_shipping() : Status{};
  const Status closed = storage_->close();
  const Status written = flushed ? stopped : flushed;
  Status status = agree(*comm_, written ? closed : written);
  if (write_behind_) {
    write_behind_->retire();
    write_behind_.reset();
  }
  if (mode_.delete_on_close) {
    Status removed;
    if (comm_->rank() == 0) {
      removed = remove_file(path_);
    }
    status = agree(*comm_, status ? removed : status);
  }
  comm_.reset();
  return status;
}

// kNotSame on all ranks unless every rank passes the same values; otherwise agree() on `mine`.
Status File::same_everywhere(std::vector<int64_t> values, const Status& mine) {
  together_.drain();
  // max(v) == -max(-v) holds only if all are equal; the error class rides along.
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) {
    values.push_back(-values[i]);
  }
  const auto own = mine ? ErrorClass::kOk : mine.error().code;
  values.push_back(static_cast<int64_t>(own));
  if (auto reduced = comm_->all_max(values); !reduced) {
    return reduced;
  }
  const auto worst = static_cast<ErrorClass>(values.back());
  if (worst != ErrorClass::kOk) {
    return worst == own ? mine : fail(worst, "another process of the call failed");
  }
  for (size_t i = 0; i < count; ++i) {
    if (values[i] != -values[count + i]) {
      return fail(ErrorClass::kNotSame, "the processes passed different values");
    }
  }
  return {};
}

// Runs a task on rank 0 while all others wait, and agrees on its outcome.
Status File::on_rank_zero(const std::function<Status()>& task) {
  Status status;
  if (comm_->rank() == 0) {
    status = task();
  }
  return agree(*comm_, status);
}

Status File::set_view(const Result<View>& view, const HintMap& hints) {
  const Status mine = view ? Status{} : fail(view.error());
  const View& wanted = view ? *view : view_;
  std::array<int64_t, 2> news{shared_moved_ || mode_.append ? 1 : 0, hints.empty() ? 0 : 1};
  if (auto status =
          same_everywhere({static_cast<int64_t>(wanted.datarep_id), wanted.etype_extent}, mine);
      !status) {
    return status;
  }
  if (auto status = comm_->all_max(news); !status) {
    return status;
  }
  view_ = *view;
  {
    const std::lock_guard lock(pointer_mutex_);
    pointer_ = 0;
  }
  shared_moved_ = false;
  if (news[1] != 0) {
    add_hints(hints);
    if (auto status = share_preferences(); !status) {
      return status;
    }
  }
  return news[0] == 0 ? Status{} : on_rank_zero([&] { return comm_->counter().store(0); });
}

Result<int64_t> File::end_position() {
  auto end = size();
  if (!end || view_.pattern.tile().size() == 0) {
    return end ? 0 : end;
  }
  if (!view_.pattern.tile().monotone()) {
    return fail(ErrorClass::kUnsupportedOperation, "a view that reads bytes twice has no end");
  }
  // MPI_SEEK_END: the first etype that begins at or after the last byte of the file.
  const int64_t position = *end <= view_.pattern.origin() ? 0 : view_.pattern.position_of(*end);
  return (position + view_.etype_bytes - 1) / view_.etype_bytes * view_.etype_bytes;
}

Result<int64_t> File::target(int64_t offset_etypes, Whence whence, int64_t current) {
  int64_t base = 0;
  if (whence == Whence::kCurrent) {
    base = current;
  } else if (whence == Whence::kEnd) {
    auto end = end_position();
    if (!end) {
      return end;
    }
    base = *end;
  }
  int64_t wanted = 0;
  if (__builtin_mul_overflow(offset_etypes, view_.etype_bytes, &wanted) ||
      __builtin_add_overflow(wanted, base, &wanted) || wanted < 0) {
    return fail(ErrorClass::kInvalidArgument, "a pointer cannot stand before the view's begin");
  }
  return wanted;
}

Status File::seek(int64_t offset_etypes, Whence whence) {
  if (mode_.sequential) {
    return fail(ErrorClass::kUnsupportedOperation, "a sequential file has no individual pointers");
  }
  const std::lock_guard lock(pointer_mutex_);
  auto wanted = target(offset_etypes, whence, pointer_);
  if (!wanted) {
    return fail(wanted.error());
  }
  pointer_ = *wanted;
  return {};
}

Status File::seek_shared(int64_t offset_etypes, const Result<Whence>& from) {
  const Whence whence = from ? *from : Whence::kSet;
  Status mine = from ? Status{} : fail(from.error());
  if (mode_.sequential) {
    mine = fail(ErrorClass::kUnsupportedOperation, "a sequential file cannot be sought");
  }
  if (auto status = same_everywhere({offset_etypes, static_cast<int64_t>(whence)}, mine); !status) {
    return status;
  }
  shared_moved_ = true;
  return on_rank_zero([&]() -> Status {
    auto current = comm_->counter().load();
    auto wanted = current ? target(offset_etypes, whence, *current) : current;
    return wanted ? comm_->counter().store(*wanted) : fail(wanted.error());
  });
}

Result<int64_t> File::position() {
  if (mode_.sequential) {
    return fail(ErrorClass::kUnsupportedOperation, "a sequential file has no individual pointers");
  }
  const std::lock_guard lock(pointer_mutex_);
  return pointer_ / view_.etype_bytes;
}

Result<int64_t> File::position_shared() {
  auto bytes = comm_->counter().load();
  return bytes ? Result<int64_t>(*bytes / view_.etype_bytes) : bytes;
}

Result<int64_t> File::byte_offset(int64_t offset_etypes) const {
  if (offset_etypes < 0) {
    return fail(ErrorClass::kInvalidArgument, "a negative offset");
  }
  if (view_.pattern.tile().size() == 0) {
    return view_.pattern.origin();
  }
  return view_.pattern.offset_at(offset_etypes * view_.etype_bytes);
}

Result<int64_t> File::shared_byte_offset() {
  auto position = position_shared();
  return position ? byte_offset(*position) : position;
}

Result<int64_t> File::size() {
  return write_behind_ && !atomic_ ? write_behind_->size() : storage_->size();
}

// This rank's checks of a collective call that changes the file's length.
Status File::ready_for_size(int64_t size_bytes) {
  Status mine;
  if (size_bytes < 0) {
    mine = fail(ErrorClass::kInvalidArgument, "a negative size");
  } else if (!mode_.writable()) {
    mine = fail(ErrorClass::kReadOnly, path_ + " is open for reading only");
  }
  together_.drain();  // it and a flush use the same communicator
  const Status flushed = flush();
  return mine ? flushed : mine;
}

Status File::set_size(int64_t size_bytes) {
  auto agreed = same_everywhere({size_bytes}, ready_for_size(size_bytes));
  return agreed ? on_rank_zero([&] { return storage_->resize(size_bytes); }) : agreed;
}

// Not before all have come: a size that another rank asks for before is still the old one.
Status File::preallocate(int64_t size_bytes) {
  const Status agreed = same_everywhere({size_bytes}, ready_for_size(size_bytes));
  if (!agreed) {
    return agreed;
  }
  return on_rank_zero([&]() -> Status {
    const Status reserved = storage_->allocate(size_bytes);
    const bool cannot = !reserved && reserved.error().code == ErrorClass::kUnsupportedOperation;
    return cannot ? append_zeros(*storage_, size_bytes) : reserved;
  });
}

Status File::sync() {
  const CallTimer timer(observer_, "sync");
  together_.drain();
  const Status flushed = flush();
  const Status synced = mode_.writable() ? storage_->sync() : Status{};
  return agree(*comm_, flushed ? synced : flushed);
}

Status File::set_atomicity(bool atomic) {
  together_.drain();
  if (auto status = same_everywhere({atomic ? 1 : 0}, flush()); !status) {
    return status;
  }
  atomic_ = atomic;
  return {};
}

Status File::set_info(const HintMap& hints) {
  together_.drain();
  add_hints(hints);
  return share_preferences();
}

HintMap File::info() const {
  HintMap all = hints_.effective();
  all["cb_nodes"] = std::to_string(aggregators_.size());
  if (hints_.collective.buffer_bytes == 0) {
    all["cb_buffer_size"] = std::to_string(default_buffer_bytes(comm_->nodes(), layout_));
  }
  put_striping(layout_, striping_, all);
  all["longshore_storage"] = storage_->backend();
  if (write_behind_ && write_behind_->over_hosts()) {
    all["romio_visibility_immediate"] = "false";
  }
  return all;
}

}  // namespace longshore
