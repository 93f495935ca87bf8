// How much of the shorter stage of a collective call is hidden behind the longer one.
//
// Storage is made slow by LONGSHORE_FAULTS, which delays each of its calls; the exchange takes long
// because it is made of small pieces, in memory too, and of messages. The delay is chosen by
// measuring: a little longer than the work of one cycle, so that the exchange is to be hidden, or
// shorter, so that storage is. With the times T of whole calls,
//
//   plain    = the same bytes by pwrite or pread, no MPI-IO
//   exchange = T(none, no delay) - plain
//   storage  = T(none) - T(none, no delay): all delays in a row, as long as they really were
//   hidden   = (T(none) - T(best) - plain) / exchange, or (T(none) - T(best)) / storage
//
// of which more than 1 counts as 1. `plain` counts against us where the delay is long: a delayed
// call in the background moves its bytes during the delay, a blocking one after it, and that gain
// is not the engine's. More than 1 would mean that two delays ran side by side (write_comm_2 has
// two storage calls under way), which hides nothing. With n cycles a pipeline with one call of each
// kind under way reaches 1 - 1/n.
//
// usage: overlap [--best PIPELINE] [--attempts N] [--dir D]
// --best none shows that the test can fail.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "../faults/fault_test.h"

namespace {

using fault_test::Session;

constexpr int kHangSeconds = 190;
constexpr int64_t kPieceBytes = 8;
constexpr int kCycles = 12;
constexpr int64_t kBufferBytes = 3 << 20;  // of an aggregator: one cycle
constexpr double kGoal = 0.8;
constexpr int kRepetitions = 3;
constexpr int kLeastDelayMs = 1;

const char* const kPipelines[] = {"none", "comm", "write", "write_comm", "write_comm_2"};

enum class Op { kWrite, kRead };
const char* word(Op op) { return op == Op::kWrite ? "write" : "read"; }

struct Options {
  std::string best;  // empty: the fastest
  int attempts = 8;
  std::string dir;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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
        path_(options.dir + "/overlap.data"),
        memory_(static_cast<size_t>(2 * kCycles * kBufferBytes), 'x') {}

  // The delay is `share` of the work of one cycle. Each attempt measures everything anew; one that
  // reaches the goal is enough, since noise hides overlap more often than it makes it up.
  void run(Op op, double share) {
    double best = -1;
    for (int attempt = 0; attempt < options_.attempts && best < kGoal; ++attempt) {
      best = std::max(best, measure(op, share));
    }
    session_.expect(best >= kGoal, std::string(word(op)) + ": hidden is " + std::to_string(best) +
                                       ", below " + std::to_string(kGoal));
  }

  void clean_up() {
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
  }

 private:
  struct Baseline {
    double fast;  // T(none, no delay)
    double plain;
    bool hides_exchange;  // otherwise storage
  };
  using Times = std::map<std::string, std::vector<double>>;

  double measure(Op op, double share) {
    call(op, "none", 0);  // pages of the file and of buffers are there from now on
    std::vector<double> fast;
    std::vector<double> plain;
    for (int i = 0; i < kRepetitions; ++i) {
      fast.push_back(call(op, "none", 0));
      plain.push_back(move_plainly(op));
    }
    const int delay_ms =
        std::max(kLeastDelayMs, static_cast<int>(median(fast) / kCycles * 1000 * share + 0.5));
    Times times;
    for (int i = 0; i < kRepetitions; ++i) {
      for (const char* pipeline : kPipelines) {
        times[pipeline].push_back(call(op, pipeline, delay_ms));
      }
    }
    if (session_.rank() == 0) {
      std::printf("%-5s %d cycles, delay %d ms: ", word(op), kCycles, delay_ms);
    }
    return judge({median(fast), median(plain), share > 1}, times);
  }

  double judge(const Baseline& base, Times& times) {
    const double none = median(times["none"]);
    const double exchange = base.fast - base.plain;
    const double storage = none - base.fast;
    std::string best = options_.best;
    std::string text;
    for (const char* pipeline : kPipelines) {
      const double here = median(times[pipeline]);
      if (options_.best.empty() && (best.empty() || here < median(times[best]))) {
        best = pipeline;
      }
      text += std::string(" ") + pipeline + " " + std::to_string(std::lround(here * 1e3));
    }
    const double saved = none - median(times[best]);
    const double share = base.hides_exchange ? (saved - base.plain) / exchange : saved / storage;
    const double hidden = std::min(1.0, share);
    if (session_.rank() == 0) {
      std::printf("exchange %.0f, plain %.0f, storage %.0f;%s ms; hidden by %s: %.2f\n",
                  exchange * 1e3, base.plain * 1e3, storage * 1e3, text.c_str(), best.c_str(),
                  hidden);
      std::fflush(stdout);
    }
    return hidden;
  }

  // One collective call on an open file; seconds of the slowest rank.
  double call(Op op, const char* pipeline, int delay_ms) {
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

  MPI_File open(const char* pipeline) {
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
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--best") {
      options.best = argv[i + 1];
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
  options.dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
  const bool understood = parse(argc, argv, options);
  session.expect(understood, "the arguments");
  if (understood) {
    Overlap overlap(session, options);
    for (const Op op : {Op::kWrite, Op::kRead}) {
      overlap.run(op, 1.2);
      overlap.run(op, 0.6);
    }
    overlap.clean_up();
  }
  return session.finish();
}
