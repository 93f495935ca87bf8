// The life of a case: its files, sessions and steps. Executing and judging are in case_execute.cc
// and case_judge.cc.
#include "case_runner.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace random_test {

char current_activity[256];

int ranks_of_case(uint64_t seed, int64_t number, int most) {
  Rng rng(mix(seed, static_cast<uint64_t>(number)) ^ 0x5151);
  return rng.int_range(1, most);
}

CaseRunner::CaseRunner(const Options& options, int64_t number, MPI_Comm comm)
    : options_(options),
      number_(number),
      comm_(comm),
      rng_(mix(options.seed, static_cast<uint64_t>(number))) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &model_.ranks);
  path_ = options.directory + "/random_test." + std::to_string(options.seed) + "." +
          std::to_string(number);
}

void CaseRunner::draw_limits() {
  limits_.without = options_.without;
  model_.holes_are_zero = has("holes");
  model_.rewrite_allowed = has("rewrite");
  datarep_ = rng_.pick({"native", "native", "native", "internal", "external32"});
  if (!has(datarep_.c_str())) {
    datarep_ = "native";
  }
  atomic_case_ = rng_.chance(15) && has("atomic");
  limits_.max_op_bytes = rng_.pick({40, 200, 600, 600, 2000, 2000, 6000, 20000});
  limits_.span_bytes = rng_.pick({8192, 8192, 8192, 60000, 300000});
  if (rng_.chance(3)) {
    limits_.max_op_bytes = 60000;
    limits_.max_leaves = 400;
  }
}

void CaseRunner::prepare_file() {
  exists_ = rng_.chance(50);
  const uint64_t content = rng_.next();
  std::vector<uint8_t> bytes(exists_ ? static_cast<size_t>(rng_.below(limits_.span_bytes * 3 / 4))
                                     : 0);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = fill_byte(content, static_cast<int64_t>(i));
  }
  if (rank_ == 0) {
    unlink(path_.c_str());
    if (exists_) {
      const int fd = ::open(path_.c_str(), O_CREAT | O_WRONLY, 0644);
      const auto written = ::write(fd, bytes.data(), bytes.size());
      if (written != static_cast<ssize_t>(bytes.size())) {
        fail("cannot prepare " + path_);
      }
      ::close(fd);
    }
  }
  model_.file.assign(std::move(bytes));
  polite_barrier(comm_);
}

bool CaseRunner::run() {
  say("ranks " + std::to_string(model_.ranks));
  draw_limits();
  prepare_file();
  const int sessions = rng_.int_range(1, 3);
  for (int i = 0; i < sessions && !agree(); ++i) {
    session(i == 0, i == sessions - 1);
  }
  const bool passed = !agree();
  if (rank_ == 0 && !options_.keep_file) {
    unlink(path_.c_str());
  }
  return passed;
}

int CaseRunner::draw_amode(bool first) {
  int amode = rng_.pick({MPI_MODE_RDWR, MPI_MODE_RDWR, MPI_MODE_RDWR, MPI_MODE_WRONLY});
  if (!first && rng_.chance(45)) {
    amode = MPI_MODE_RDONLY;
  }
  if (!exists_) {
    amode |= MPI_MODE_CREATE | (rng_.chance(20) ? MPI_MODE_EXCL : 0);
  } else if (amode != MPI_MODE_RDONLY && rng_.chance(50)) {
    amode |= MPI_MODE_CREATE;
  }
  amode |= rng_.chance(12) && has("append") ? MPI_MODE_APPEND : 0;
  amode |= rng_.chance(20) ? MPI_MODE_UNIQUE_OPEN : 0;
  if (rng_.chance(8) && (amode & MPI_MODE_RDWR) == 0 && has("sequential")) {
    amode |= MPI_MODE_SEQUENTIAL;
  }
  return amode;
}

bool CaseRunner::open(int amode) {
  std::string words;
  MPI_Info info = random_hints(rng_, has("hints"), words);
  say("open amode " + std::to_string(amode) + " hints" + words);
  ok(MPI_File_open(comm_, path_.c_str(), amode, info, &file_), "MPI_File_open");
  if (info != MPI_INFO_NULL) {
    MPI_Info_free(&info);
  }
  if (agree()) {
    return false;
  }
  exists_ = true;
  model_.amode = amode;
  model_.atomic = false;
  model_.set_views(default_views(model_.ranks));
  if ((amode & MPI_MODE_APPEND) != 0) {
    model_.pointer_etypes.assign(static_cast<size_t>(model_.ranks), model_.file.size());
    model_.shared_etypes = model_.file.size();
  }
  return true;
}

void CaseRunner::close() {
  const bool gone = (model_.amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  ok(MPI_File_close(&file_), "MPI_File_close");
  polite_barrier(comm_);
  if (file_ != MPI_FILE_NULL) {
    fail("MPI_File_close left a handle");
  }
  if (rank_ == 0 && gone && access(path_.c_str(), F_OK) == 0) {
    fail("the file outlived MPI_MODE_DELETE_ON_CLOSE");
  }
  if (gone) {
    exists_ = false;
    model_.file.assign({});
  } else if (rank_ == 0 && !stopped_) {
    compare_file();
  }
}

void CaseRunner::session(bool first, bool last) {
  const int amode = draw_amode(first) | (last && rng_.chance(10) ? MPI_MODE_DELETE_ON_CLOSE : 0);
  if (!open(amode)) {
    return;
  }
  if (atomic_case_ && rng_.chance(70)) {
    set_atomicity(true);
  }
  if (rng_.chance(70)) {
    set_view();
  }
  leaving_ = false;
  const int steps = rng_.int_range(2, 6);
  for (int i = 0; i < steps && !stopped_ && !leaving_; ++i) {
    step();
    ++phase_number_;
  }
  close();
}

// Steps of the shared pointer, where the views allow them. Returns false if it took none.
bool CaseRunner::shared_step() {
  if (!model_.views.same || !has("shared")) {
    return false;
  }
  switch (rng_.below(sequential() ? 3 : 6)) {
    case 0:
    case 1:
      if (writable() && (rng_.chance(60) || !readable())) {
        run_shared(true);
      } else {
        run_shared(false);
      }
      return true;
    case 3: seek_shared(); return true;
    default: return false;
  }
}

void CaseRunner::step() {
  const int64_t draw = rng_.below(100);
  if (draw < 20 && shared_step()) {
    return;
  }
  if (draw < 35) {
    set_view();
  } else if (draw < 40 && writable() && !sequential() && has("resize")) {
    set_size();
  } else if (draw < 44 && writable() && !sequential() && has("resize")) {
    preallocate();
  } else if (draw < 50 && !sequential() && has("query")) {
    query();
  } else if (draw < 53 && atomic_case_) {
    set_atomicity(!model_.atomic);
  } else if (draw < 56) {
    set_info();
  } else if (draw < 75 && model_.atomic && readable() && writable() && !sequential()) {
    run_overlapping();
  } else if (rng_.chance(35) && !sequential()) {
    run_alternating();
  } else {
    run_accesses();
  }
}

void CaseRunner::set_view() {
  ViewLimits limits{model_.ranks, datarep_, sequential(), has("empty"), has("pairs")};
  ViewSet set = random_views(rng_, limits);
  MPI_Offset disp = set.views[static_cast<size_t>(rank_)].disp_bytes;
  if (sequential()) {
    const View& old = model_.view(0);
    for (View& view : set.views) {
      view.disp_bytes = old.position(model_.shared_etypes * old.etype_bytes());
    }
    disp = MPI_DISPLACEMENT_CURRENT;
  }
  std::string words;
  MPI_Info info = rng_.chance(20) ? random_hints(rng_, has("hints"), words) : MPI_INFO_NULL;
  for (int r = 0; options_.verbose && r < model_.ranks; ++r) {
    const View& view = set.views[static_cast<size_t>(r)];
    say("set_view rank " + std::to_string(r) + " disp " + std::to_string(view.disp_bytes) +
        " etype " + view.etype->words + " filetype " + view.filetype->words + " " + datarep_ +
        words);
  }
  const View& mine = set.views[static_cast<size_t>(rank_)];
  ok(MPI_File_set_view(file_, disp, mine.etype->handle, mine.filetype->handle, datarep_.c_str(),
                       info),
     "MPI_File_set_view");
  if (info != MPI_INFO_NULL) {
    MPI_Info_free(&info);
  }
  model_.set_views(std::move(set));
  agree();
}

void CaseRunner::set_size() {
  const int64_t size = rng_.below(model_.file.size() + 3000);
  say("set_size " + std::to_string(size));
  ok(MPI_File_set_size(file_, size), "MPI_File_set_size");
  model_.file.resize(size);
  sync_point(true);
}

void CaseRunner::preallocate() {
  const int64_t size = rng_.below(model_.file.size() + 3000);
  say("preallocate " + std::to_string(size));
  ok(MPI_File_preallocate(file_, size), "MPI_File_preallocate");
  if (size > model_.file.size()) {
    model_.file.resize(size);
  }
  sync_point(true);
}

void CaseRunner::seek_shared() {
  const int64_t now = model_.shared_etypes;
  const int64_t want = rng_.below(300);
  const int64_t end = model_.view(0).end_etype(model_.file.size());
  MPI_Offset offset = want;
  const int whence =
      rng_.pick({MPI_SEEK_SET, MPI_SEEK_CUR, has("seek_end") ? MPI_SEEK_END : MPI_SEEK_SET});
  if (whence == MPI_SEEK_CUR) {
    offset = want - now;
  } else if (whence == MPI_SEEK_END) {
    offset = want - end;
  }
  say("seek_shared " + std::to_string(offset) + " whence " + std::to_string(whence));
  ok(MPI_File_seek_shared(file_, offset, whence), "MPI_File_seek_shared");
  model_.shared_etypes = want;
  MPI_Offset position = -1;
  ok(MPI_File_get_position_shared(file_, &position), "MPI_File_get_position_shared");
  if (position != want) {
    fail("shared position " + std::to_string(position) + ", expected " + std::to_string(want));
  }
  polite_barrier(comm_);
  agree();
}

void CaseRunner::set_atomicity(bool atomic) {
  say(std::string("set_atomicity ") + (atomic ? "true" : "false"));
  ok(MPI_File_set_atomicity(file_, atomic ? 1 : 0), "MPI_File_set_atomicity");
  model_.atomic = atomic;
  agree();
}

void CaseRunner::set_info() {
  std::string words;
  MPI_Info info = random_hints(rng_, has("hints"), words);
  say("set_info" + words);
  if (info != MPI_INFO_NULL) {
    ok(MPI_File_set_info(file_, info), "MPI_File_set_info");
    MPI_Info_free(&info);
  }
  MPI_Info now = MPI_INFO_NULL;
  ok(MPI_File_get_info(file_, &now), "MPI_File_get_info");
  if (now == MPI_INFO_NULL) {
    fail("MPI_File_get_info gave MPI_INFO_NULL");
  } else {
    MPI_Info_free(&now);
  }
  agree();
}

}  // namespace random_test
