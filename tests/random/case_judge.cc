// Comparing what happened with what the model says.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "case_runner.h"
#include "shared_check.h"

namespace random_test {

void CaseRunner::fail(const std::string& what) {
  if (!failed_) {
    std::fprintf(stderr,
                 "MISMATCH seed %llu case %lld ranks %d rank %d phase %d: %s\n"
                 "  activity: %s\n  replay: random_test --seed %llu --case %lld --verbose\n",
                 static_cast<unsigned long long>(options_.seed), static_cast<long long>(number_),
                 model_.ranks, rank_, phase_number_, what.c_str(), current_activity,
                 static_cast<unsigned long long>(options_.seed), static_cast<long long>(number_));
  }
  failed_ = true;
}

void CaseRunner::ok(int code, const char* call) {
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    fail(std::string(call) + ": " + text);
  }
}

void CaseRunner::say(const std::string& what) {
  std::snprintf(current_activity, sizeof current_activity, "phase %d: %s", phase_number_,
                what.c_str());
  if (options_.verbose && rank_ == 0) {
    std::printf("case %lld phase %d: %s\n", static_cast<long long>(number_), phase_number_,
                what.c_str());
    std::fflush(stdout);
  }
}

void CaseRunner::describe_phase(const Phase& phase) {
  if (!options_.verbose) {
    return;
  }
  for (const auto& list : phase.ops) {
    for (const Op& op : list) {
      say(describe(op));
    }
  }
}

bool CaseRunner::agree() {
  stopped_ = polite_reduce(failed_ ? 1 : 0, MPI_MAX, comm_) != 0;
  return stopped_;
}

void CaseRunner::check_lives(const Lives& lives) {
  for (const auto& live : lives) {
    const std::string wrong = live->check(live->op().stream);
    if (!wrong.empty()) {
      fail(describe(live->op()) + ": " + wrong);
    }
  }
}

void CaseRunner::check_position(int64_t expected_etypes) {
  MPI_Offset position = -1;
  ok(MPI_File_get_position(file_, &position), "MPI_File_get_position");
  if (position != expected_etypes) {
    fail("individual pointer " + std::to_string(position) + ", expected " +
         std::to_string(expected_etypes));
  }
}

// What others have written in this phase may count or not.
void CaseRunner::check_size(int64_t least_bytes) {
  MPI_Offset size = -1;
  ok(MPI_File_get_size(file_, &size), "MPI_File_get_size");
  if (size < least_bytes || size > model_.file.size()) {
    fail("size " + std::to_string(size) + ", expected " + std::to_string(least_bytes) + " to " +
         std::to_string(model_.file.size()));
  }
}

std::vector<uint8_t> CaseRunner::read_actual() {
  const int fd = ::open(path_.c_str(), O_RDONLY);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0) {
    fail("cannot open " + path_);
    return {};
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(info.st_size));
  if (::pread(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    fail("cannot read " + path_);
  }
  ::close(fd);
  return bytes;
}

void CaseRunner::compare_bytes(const std::vector<uint8_t>& actual) {
  const std::vector<uint8_t>& expected = model_.file.bytes();
  const size_t common = std::min(actual.size(), expected.size());
  size_t at = 0;
  const auto differs = [&](size_t i) {
    return actual[i] != expected[i] && model_.is_binding(static_cast<int64_t>(i));
  };
  while (at < common && !differs(at)) {
    ++at;
  }
  if (at < common) {
    size_t differing = 0;
    for (size_t i = at; i < common; ++i) {
      differing += differs(i) ? 1U : 0U;
    }
    char text[160];
    std::snprintf(text, sizeof text, "file byte %zu is %02x, expected %02x (%zu differ, size %zu)",
                  at, actual[at], expected[at], differing, actual.size());
    fail(text);
  } else if (actual.size() != expected.size()) {
    fail("file has " + std::to_string(actual.size()) + " bytes, expected " +
         std::to_string(expected.size()));
  }
}

void CaseRunner::compare_file() { compare_bytes(read_actual()); }

void CaseRunner::sync_point(bool compare) {
  const bool sync = writable() && (!model_.atomic || rng_.chance(30));
  if (sync) {
    ok(MPI_File_sync(file_), "MPI_File_sync");
  }
  polite_barrier(comm_);
  // Without a sync the bytes need only be visible through MPI.
  if (compare && rank_ == 0 && (sync || !writable())) {
    compare_file();
  }
  agree();
  if (sync) {
    ok(MPI_File_sync(file_), "MPI_File_sync");
  }
}

namespace {

std::vector<uint8_t> view_bytes(const View& view, const std::vector<uint8_t>& file, int64_t start,
                                int64_t bytes) {
  std::vector<uint8_t> region;
  for (int64_t k = 0; k < bytes; ++k) {
    const auto at = static_cast<size_t>(view.position(start + k));
    region.push_back(at < file.size() ? file[at] : 0);
  }
  return region;
}

int64_t total_bytes(const Phase& phase) {
  int64_t bytes = 0;
  for (const auto& list : phase.ops) {
    for (const Op& op : list) {
      bytes += op.requested_bytes();
    }
  }
  return bytes;
}

}  // namespace

// Finds the order in which the records landed, from the file itself, and makes it the model's.
void CaseRunner::check_shared_write(const Phase& phase) {
  const View& view = model_.view(0);
  ok(MPI_File_sync(file_), "MPI_File_sync");
  polite_barrier(comm_);
  std::vector<Record> records;
  for (const auto& list : phase.ops) {
    for (const Op& op : list) {
      Record record{op.rank, op.how == How::kBlocking, {}};
      for (int64_t at : memory_order(op, view.external32())) {
        record.stream.push_back(fill_byte(op.fill_seed, at));
      }
      records.push_back(std::move(record));
    }
  }
  const std::vector<uint8_t> actual = read_actual();
  const int64_t start = model_.shared_etypes * view.etype_bytes();
  const int64_t bytes = total_bytes(phase);
  const std::vector<uint8_t> region = view_bytes(view, actual, start, bytes);
  if (!is_some_order(region, records)) {
    fail("shared writes: the region is no sequence of the records");
  }
  for (int64_t k = 0; k < bytes; ++k) {
    model_.file.put(view.position(start + k), region[static_cast<size_t>(k)]);
  }
  polite_barrier(comm_);
}

void CaseRunner::check_shared_read(const Phase& phase, const Lives& lives) {
  std::vector<uint8_t> mine;
  for (const auto& live : lives) {
    const std::vector<uint8_t> got =
        live->received(static_cast<size_t>(live->op().requested_bytes()));
    const std::string wrong = live->check(got);
    if (!wrong.empty()) {
      fail(describe(live->op()) + ": " + wrong);
    }
    mine.insert(mine.end(), got.begin(), got.end());
  }
  std::vector<int> counts;
  std::vector<int> starts;
  int total = 0;
  for (const auto& list : phase.ops) {
    starts.push_back(total);
    for (const Op& op : list) {
      total += static_cast<int>(op.requested_bytes());
    }
    counts.push_back(total - starts.back());
  }
  std::vector<uint8_t> all(static_cast<size_t>(total));
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), counts.data(),
              starts.data(), MPI_BYTE, 0, comm_);
  if (rank_ != 0) {
    return;
  }
  std::vector<Record> records;
  auto at = all.begin();
  for (const auto& list : phase.ops) {
    for (const Op& op : list) {
      records.push_back({op.rank, op.how == How::kBlocking, {at, at + op.requested_bytes()}});
      at += op.requested_bytes();
    }
  }
  const View& view = model_.view(0);
  const int64_t start = model_.shared_etypes * view.etype_bytes();
  if (!is_some_order(view_bytes(view, model_.file.bytes(), start, total), records)) {
    fail("shared reads: the records are no sequence of the file's bytes");
  }
}

// An atomic read sees each write of the others wholly or not at all.
void CaseRunner::check_atomic_access(const Op& op, const Live& live,
                                     const std::vector<AtomicWrite>& writes) {
  if (op.write) {
    const std::string wrong = live.check(op.stream);
    if (!wrong.empty()) {
      fail(describe(op) + ": " + wrong);
    }
    return;
  }
  for (const auto& state : serial_states(model_.file.bytes(), writes, false)) {
    std::vector<uint8_t> stream;
    for (int64_t position : op.positions) {
      stream.push_back(state[static_cast<size_t>(position)]);
    }
    if (live.check(stream).empty()) {
      return;
    }
  }
  fail(describe(op) + ": an atomic read saw part of a write");
}

void CaseRunner::run_overlapping() {
  polite_barrier(comm_);
  PhaseGen gen(rng_, model_, limits_);
  const Phase phase = gen.overlapping_accesses();
  describe_phase(phase);
  Lives lives;
  execute(phase, lives);
  std::vector<AtomicWrite> writes;
  for (const auto& list : phase.ops) {
    if (list[0].write && list[0].count > 0) {
      writes.push_back({list[0].positions, list[0].stream});
    }
  }
  check_atomic_access(phase.ops[static_cast<size_t>(rank_)][0], *lives[0], writes);
  ok(MPI_File_sync(file_), "MPI_File_sync");
  polite_barrier(comm_);
  const std::vector<uint8_t> actual = read_actual();
  const auto states = serial_states(model_.file.bytes(), writes, true);
  if (std::find(states.begin(), states.end(), actual) == states.end()) {
    fail("atomic writes: the file is the outcome of no serial order");
  }
  model_.file.assign(actual);
  polite_barrier(comm_);
  agree();
}

void CaseRunner::query_offsets() {
  const View& view = model_.view(rank_);
  if (view.tile.empty()) {
    return;
  }
  const int64_t step = view.filetype->size / view.etype_bytes() + 3;
  for (int64_t etype = 0; etype < 5 * step; etype += step) {
    MPI_Offset offset = -1;
    ok(MPI_File_get_byte_offset(file_, etype, &offset), "MPI_File_get_byte_offset");
    const int64_t expected = view.position(etype * view.etype_bytes());
    if (offset != expected) {
      fail("byte offset of etype " + std::to_string(etype) + " is " + std::to_string(offset) +
           ", expected " + std::to_string(expected));
    }
  }
}

void CaseRunner::query() {
  say("query");
  MPI_Offset size = -1;
  ok(MPI_File_get_size(file_, &size), "MPI_File_get_size");
  if (size != model_.file.size()) {
    fail("size " + std::to_string(size) + ", expected " + std::to_string(model_.file.size()));
  }
  check_position(model_.pointer_etypes[static_cast<size_t>(rank_)]);
  query_offsets();
  int amode = -1;
  int atomic = -1;
  ok(MPI_File_get_amode(file_, &amode), "MPI_File_get_amode");
  ok(MPI_File_get_atomicity(file_, &atomic), "MPI_File_get_atomicity");
  if (amode != model_.amode || (atomic != 0) != model_.atomic) {
    fail("amode " + std::to_string(amode) + " atomicity " + std::to_string(atomic));
  }
  MPI_Offset shared = -1;
  if (model_.views.same) {
    ok(MPI_File_get_position_shared(file_, &shared), "MPI_File_get_position_shared");
    if (shared != model_.shared_etypes) {
      fail("shared pointer " + std::to_string(shared) + ", expected " +
           std::to_string(model_.shared_etypes));
    }
  }
  polite_barrier(comm_);
  agree();
}

}  // namespace random_test
