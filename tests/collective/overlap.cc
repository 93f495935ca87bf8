// How much of the shorter stage of a collective call is hidden behind the longer one.
//
// Storage is made slow by LONGSHORE_FAULTS, which delays each of its calls; the exchange takes long
// because it is made of small pieces, in memory too, and of messages. The delay is chosen by
// measuring: a little longer than the work of one cycle, so that the exchange is to be hidden, or
// shorter, so that storage is. With T, the lower quartile of a call's times over rounds of all
// pipelines in turn (what others do on the machine mostly adds to a time, and a single fast call
// may be luck),
//
//   plain    = the same bytes by pwrite or pread, no MPI-IO
//   exchange = T(none, no delay) - plain
//   storage  = T(none) - T(none, no delay): all delays in a row, as long as they really were
//   hidden   = (T(none) - T(best) - plain) / min(exchange, storage), at most 1
//
// `plain` counts against us: a delayed call in the background moves its bytes during the delay, a
// blocking one after it, and that gain is not the engine's. It is kept small by the size of the
// pieces. Neither do we want credit for delays that run side by side (write_comm_2 has two storage
// calls under way): these alone save at most half of the storage, which is 0.6 of an exchange whose
// delay is 1.2 times as long, and half of a shorter storage; less than the goal in both cases. With
// n cycles a pipeline with one call of each kind under way reaches 1 - 1/n.
//
// usage: overlap [--as PIPELINE] [--op write|read] [--attempts N] [--dir D]
// --as none runs every pipeline as none: what is then hidden is noise, and the test must fail.
//
// Ends with 77 (skipped) if the goal was missed on a machine that does not let things overlap:
// while others kept the cores busy, so that an exchange did not get one, or while sleepers woke
// late (the delays together took much longer than their sum), so that what was to be hidden grew by
// itself.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>

#include "../faults/fault_test.h"
#include "scratch.h"

namespace {

using fault_test::Session;

constexpr int kHangSeconds = 190;
constexpr int64_t kPieceBytes = 1;
constexpr int kCycles = 24;
constexpr int64_t kBufferBytes = 768 << 10;  // of an aggregator: one cycle
constexpr double kGoal = 0.8;
constexpr int kRoundsPerAttempt = 4;
constexpr double kQuietShare =
    0.9;  // of a core that a rank gets, on a machine we have to ourselves
constexpr double kLateDelays = 1.1;  // of their nominal sum: sleepers wake when they should not
constexpr int kSkipped = 77;

const char* const kPipelines[] = {"none", "comm", "write", "write_comm", "write_comm_2"};

enum class Op { kWrite, kRead };
const char* word(Op op) { return op == Op::kWrite ? "write" : "read"; }

struct Options {
  std::string as;  // empty: each pipeline as itself
  std::string op;  // empty: both
  int attempts = 4;
  std::string dir;
};

double now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// How much of a core the rank that gets least has while all ranks want one. Collective.
double share_of_core() {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now(CLOCK_MONOTONIC);
  const double cpu = now(CLOCK_THREAD_CPUTIME_ID);
  while (now(CLOCK_MONOTONIC) - start < 0.05) {
  }
  const double mine = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (now(CLOCK_MONOTONIC) - start);
  double least = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

double slowest(double seconds) {
  double all = 0;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

class Overlap {
 public:
  Overlap(Session& session, const Options& options)
      : session_(session),
        options_(options),
        path_(collective_test::scratch_path(options.dir, "overlap")),
        memory_(static_cast<size_t>(2 * kCycles * kBufferBytes), 'x') {}

  // The delay is `share` of the work of one cycle. Each attempt adds rounds to those before it, so
  // that on a busy machine the times come nearer to the true ones; an attempt is not a new chance.
  void run(Op op, double share) {
    times_.clear();
    core_share_ = 0;
    rounds_ = 0;
    call(Op::kWrite, "none", 0);  // there is something to be read, and pages are there
    const int delay_ms = choose_delay(op, share);
    double hidden = -1;
    for (int attempt = 0; attempt < options_.attempts && hidden < kGoal; ++attempt) {
      for (int i = 0; i < kRoundsPerAttempt; ++i) {
        run_round(op, delay_ms);
      }
      hidden = judge(op, delay_ms);
    }
    const bool quiet = core_share_ / rounds_ >= kQuietShare && lateness_ <= kLateDelays;
    if (hidden < kGoal && options_.as.empty() && !quiet) {
      skipped_ = true;
      return;
    }
    session_.expect(hidden >= kGoal, std::string(word(op)) + ": hidden is " +
                                         std::to_string(hidden) + ", below " +
                                         std::to_string(kGoal));
  }

  // Whether some measure missed its goal on a machine that does not let things overlap.
  bool skipped() const { return skipped_; }

  void clean_up() {
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
  }

 private:
  static constexpr const char* kFast = "none without delay";
  static constexpr const char* kPlain = "plain";

  void note(const std::string& what, double seconds) { times_[what].push_back(seconds); }

  double time_of(const std::string& what) {
    std::vector<double>& all = times_[what];
    std::sort(all.begin(), all.end());
    return all[all.size() / 4];
  }

  int choose_delay(Op op, double share) {
    for (int i = 0; i < kRoundsPerAttempt; ++i) {
      note(kFast, call(op, "none", 0));
    }
    return std::max(1, static_cast<int>(std::lround(time_of(kFast) / kCycles * 1000 * share)));
  }

  void run_round(Op op, int delay_ms) {
    core_share_ += share_of_core();
    ++rounds_;
    note(kFast, call(op, "none", 0));
    note(kPlain, move_plainly(op));
    for (const char* pipeline : kPipelines) {
      note(pipeline, call(op, options_.as.empty() ? pipeline : options_.as, delay_ms));
    }
  }

  double judge(Op op, int delay_ms) {
    const double exchange = time_of(kFast) - time_of(kPlain);
    const double storage = time_of("none") - time_of(kFast);
    std::string best = "none";
    std::string text;
    for (const char* pipeline : kPipelines) {
      best = time_of(pipeline) < time_of(best) ? pipeline : best;
      text +=
          std::string(" ") + pipeline + " " + std::to_string(std::lround(time_of(pipeline) * 1e3));
    }
    lateness_ = storage * 1e3 / (kCycles * delay_ms);
    const double saved = time_of("none") - time_of(best) - time_of(kPlain);
    const double hidden = std::min(1.0, saved / std::min(exchange, storage));
    if (session_.rank() == 0) {
      std::printf(
          "%-5s %d cycles, delay %d ms: exchange %.0f, plain %.0f, storage %.0f;%s ms; "
          "hidden by %s: %.2f (a rank gets %.2f of a core, delays last %.2f of their time)\n",
          word(op), kCycles, delay_ms, exchange * 1e3, time_of(kPlain) * 1e3, storage * 1e3,
          text.c_str(), best.c_str(), hidden, core_share_ / rounds_, lateness_);
      std::fflush(stdout);
    }
    return hidden;
  }

  // One collective call on an open file; seconds of the slowest rank.
  double call(Op op, const std::string& pipeline, int delay_ms) {
    session_.at(std::string(word(op)) + " with pipeline " + pipeline);
    set_delay(op, delay_ms);
    MPI_File file = open(pipeline);
    set_view(file);
    MPI_Datatype spread = spread_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const int code = op == Op::kWrite
                         ? MPI_File_write_all(file, memory_.data(), 1, spread, MPI_STATUS_IGNORE)
                         : MPI_File_read_all(file, memory_.data(), 1, spread, MPI_STATUS_IGNORE);
    const double seconds = slowest(MPI_Wtime() - start);
    MPI_Type_free(&spread);
    session_.expect(code == MPI_SUCCESS, "the call");
    session_.expect(MPI_File_close(&file) == MPI_SUCCESS, "close");
    return seconds;
  }

  static void set_delay(Op op, int delay_ms) {
    const std::string rule = std::string(word(op)) + ":delay_ms=" + std::to_string(delay_ms);
    if (delay_ms > 0) {
      setenv("LONGSHORE_FAULTS", rule.c_str(), 1);
    } else {
      unsetenv("LONGSHORE_FAULTS");
    }
  }

  MPI_File open(const std::string& pipeline) {
    MPI_Info info = fault_test::make_info({{"longshore_pipeline", pipeline},
                                           {"longshore_exchange", "two_sided"},
                                           {"longshore_partition", "even"},
                                           {"longshore_storage", "posix"},
                                           {"cb_nodes", std::to_string(session_.size())},
                                           {"cb_buffer_size", std::to_string(kBufferBytes)},
                                           {"romio_cb_write", "enable"},
                                           {"romio_cb_read", "enable"}});
    MPI_File file = MPI_FILE_NULL;
    const int code =
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    session_.expect(code == MPI_SUCCESS, "open");
    MPI_Info_free(&info);
    return file;
  }

  void set_view(MPI_File file) {
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype turn = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(kPieceBytes, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, kPieceBytes * session_.size(), &turn);
    MPI_Type_commit(&turn);
    const int code = MPI_File_set_view(file, session_.rank() * kPieceBytes, MPI_BYTE, turn,
                                       "native", MPI_INFO_NULL);
    session_.expect(code == MPI_SUCCESS, "set_view");
    MPI_Type_free(&turn);
    MPI_Type_free(&block);
  }

  // Every other piece of the memory.
  static MPI_Datatype spread_memory() {
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(kCycles * kBufferBytes / kPieceBytes), kPieceBytes,
                    2 * kPieceBytes, MPI_BYTE, &spread);
    MPI_Type_commit(&spread);
    return spread;
  }

  double move_plainly(Op op) {
    const int fd = ::open(path_.c_str(), O_RDWR);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int64_t cycle = 0; cycle < kCycles; ++cycle) {
      char* const at = memory_.data() + cycle * kBufferBytes;
      const off_t offset = (session_.rank() * kCycles + cycle) * kBufferBytes;
      const ssize_t moved = op == Op::kWrite ? ::pwrite(fd, at, kBufferBytes, offset)
                                             : ::pread(fd, at, kBufferBytes, offset);
      session_.expect(moved == kBufferBytes, "plain transfer");
    }
    const double seconds = slowest(MPI_Wtime() - start);
    ::close(fd);
    return seconds;
  }

  Session& session_;
  const Options& options_;
  std::string path_;
  std::vector<char> memory_;
  bool skipped_ = false;
  double core_share_ = 0;  // summed over rounds
  double lateness_ = 0;    // how long the delays lasted, of how long they should
  int rounds_ = 0;
  std::map<std::string, std::vector<double>> times_;  // seconds, by what was done
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--as") {
      options.as = argv[i + 1];
    } else if (name == "--op") {
      options.op = argv[i + 1];
    } else if (name == "--attempts") {
      options.attempts = std::atoi(argv[i + 1]);
    } else if (name == "--dir") {
      options.dir = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  Options options;
  bool skipped = false;
  options.dir = collective_test::default_directory();
  const bool understood = parse(argc, argv, options);
  session.expect(understood, "the arguments");
  if (understood) {
    Overlap overlap(session, options);
    for (const Op op : {Op::kWrite, Op::kRead}) {
      if (options.op.empty() || options.op == word(op)) {
        overlap.run(op, 1.2);
        overlap.run(op, 0.6);
      }
    }
    overlap.clean_up();
    skipped = overlap.skipped();
    if (skipped && session.rank() == 0) {
      std::printf(
          "SKIPPED: others keep the cores busy, or sleepers wake late: little can overlap\n");
    }
  }
  const int status = session.finish();
  return status == 0 && skipped ? kSkipped : status;
}
