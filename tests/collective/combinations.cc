// Every legal combination of the engine's parts (partition, exchange, pipeline, number of
// aggregators) on seeded random patterns: the file's bytes, what is read, and the counts, against a
// naive model. Buffers are small, so that a call takes many cycles.
//
// usage: combinations [--seed S] [--combination N] [--shape N] [--every N] [--full 1]
//                     [--exchange TEXT] [--without-exchange TEXT] [--buffer BYTES] [--dir D]
// A failure names the arguments that replay it. --every 7 does each seventh combination; the two
// about exchanges select those with and without the text in their name. Without --full, a
// combination of partition, exchange and pipeline meets each number of aggregators and each pattern
// once; with it, all pairs of these.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "../faults/fault_test.h"
#include "../random/polite.h"
#include "patterns.h"
#include "scratch.h"

namespace {

using collective_test::kShapes;
using collective_test::MappedType;
using collective_test::Pattern;
using collective_test::RankPart;
using collective_test::Rng;
using collective_test::Shape;
using fault_test::Session;

constexpr int kHangSeconds = 100;
constexpr int kStopAfter = 5;
constexpr int64_t kPatternBytes = 24 * 1024;
constexpr int64_t kMostBeyond = 4000;  // how far a read goes beyond what was written
// Contents are 1 to 200.
constexpr unsigned char kPrefilled = 0xee;
constexpr unsigned char kUntouched = 0xf5;

struct Options {
  uint64_t seed = 1;
  int only = -1;
  int only_shape = -1;
  int every = 1;
  bool full = false;
  std::string exchange;
  std::string without_exchange;
  std::string buffer_bytes;  // empty: drawn
  std::string dir;
  std::string path;  // of this run
};

struct Combination {
  const char* partition;
  const char* targets_per_aggregator;
  const char* exchange;
  const char* pipeline;
  const char* cb_nodes;

  std::string words() const {
    return std::string("partition=") + partition + " k=" + targets_per_aggregator +
           " exchange=" + exchange + " pipeline=" + pipeline + " cb_nodes=" + cb_nodes;
  }
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  const std::pair<const char*, const char*> partitions[] = {
      {"even", "1"}, {"aligned", "1"}, {"cyclic", "1"}, {"one_to_k", "1"}, {"one_to_k", "2"}};
  for (const auto& [partition, k] : partitions) {
    for (const char* exchange : {"shm", "two_sided", "rma_fence", "rma_lock", "shm+two_sided",
                                 "shm+rma_fence", "shm+rma_lock", "shm+gathered"}) {
      for (const char* pipeline : {"none", "comm", "write", "write_comm", "write_comm_2"}) {
        for (const char* cb_nodes : {"1", "2", "3"}) {
          all.push_back({partition, k, exchange, pipeline, cb_nodes});
        }
      }
    }
  }
  return all;
}

unsigned char content(int rank, int64_t position) {
  return static_cast<unsigned char>(1 + (rank * 53 + position * 7 + position / 251) % 200);
}

// A rank's memory for `bytes` bytes of a stream: contiguous or with gaps.
struct Buffer {
  std::optional<MappedType> type;  // none: contiguous
  std::vector<unsigned char> bytes;

  Buffer(Rng& rng, int64_t length) {
    if (length > 0 && rng.chance(50)) {
      type = collective_test::make_scattered_memory(rng, length);
    }
    bytes.assign(static_cast<size_t>(type ? type->extent : length), kUntouched);
  }
  ~Buffer() {
    if (type) {
      MPI_Type_free(&type->handle);
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Where byte k of the stream lies in `bytes`.
  size_t index(int64_t k) const { return static_cast<size_t>(type ? type->at(k) : k); }
  int count() const { return type ? 1 : static_cast<int>(bytes.size()); }
  MPI_Datatype handle() const { return type ? type->handle : MPI_BYTE; }
};

// One combination on one pattern. All ranks draw the same numbers up to the memory.
class Trial {
 public:
  Trial(Session& session, const std::string& path, uint64_t seed, Shape shape)
      : session_(session),
        path_(path),
        rng_(seed),
        memory_rng_(seed + 1000 + static_cast<uint64_t>(session.rank())) {
    pattern_ = make_pattern(rng_, shape, session.size(), kPatternBytes);
    prefilled_ = pattern_.end * rng_.range(40, 110) / 100;
    beyond_ = rng_.chance(50) ? rng_.range(1, kMostBeyond) : 0;
    make_model();
  }
  ~Trial() { free_pattern(pattern_); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // True if all was right on this rank.
  bool run(const Combination& combination, const std::string& buffer_bytes) {
    prefill();
    open(combination, buffer_bytes);
    write();
    random_test::polite_barrier(MPI_COMM_WORLD);
    check_file();
    read();
    check(MPI_File_close(&file_) == MPI_SUCCESS, "close");
    return well_;
  }

 private:
  void check(bool condition, const std::string& what) {
    session_.expect(condition, what);
    well_ = well_ && condition;
  }

  // Byte by byte: what was there, what ranks write, zeros where the file grew over a hole.
  void make_model() {
    model_.assign(static_cast<size_t>(std::max(prefilled_, pattern_.end)), 0);
    std::fill_n(model_.begin(), prefilled_, kPrefilled);
    for (int r = 0; r < session_.size(); ++r) {
      const RankPart& part = pattern_.parts[static_cast<size_t>(r)];
      for (int64_t k = part.first; k < part.last; ++k) {
        model_[static_cast<size_t>(part.offset(k))] = content(r, k);
      }
    }
  }

  void prefill() {
    if (session_.rank() == 0) {
      const std::vector<unsigned char> bytes(static_cast<size_t>(prefilled_), kPrefilled);
      const int fd = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
      check(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "preparing the file");
      ::close(fd);
    }
    random_test::polite_barrier(MPI_COMM_WORLD);
  }

  void open(const Combination& combination, const std::string& buffer_bytes) {
    const std::string drawn = rng_.pick({"700", "1024", "3000"});
    MPI_Info info = fault_test::make_info(
        {{"longshore_partition", combination.partition},
         {"longshore_targets_per_aggregator", combination.targets_per_aggregator},
         {"longshore_exchange", combination.exchange},
         {"longshore_pipeline", combination.pipeline},
         {"cb_nodes", combination.cb_nodes},
         {"cb_buffer_size", buffer_bytes.empty() ? drawn : buffer_bytes},
         {"striping_unit", rng_.pick({"512", "1024", "4096"})},
         {"striping_factor", "3"},
         {"romio_cb_write", "enable"},
         {"romio_cb_read", "enable"}});
    const int code = MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDWR, info, &file_);
    MPI_Info_free(&info);
    check(code == MPI_SUCCESS, "open");
    check_hint("longshore_partition", combination.partition);
    check_hint("longshore_pipeline", combination.pipeline);
    // shm alone means messages between hosts.
    const bool plain_shm = std::strcmp(combination.exchange, "shm+two_sided") == 0;
    check_hint("longshore_exchange", plain_shm ? "shm" : combination.exchange);
  }

  // A hint that is not taken would test nothing.
  void check_hint(const char* key, const char* wanted) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_File_get_info(file_, &info);
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    check(found != 0 && std::strcmp(value, wanted) == 0,
          std::string(key) + " is '" + value + "', not '" + wanted + "'");
  }

  void set_view(const RankPart& part) {
    check(MPI_File_set_view(file_, part.disp, MPI_BYTE, part.view.handle, "native",
                            MPI_INFO_NULL) == MPI_SUCCESS,
          "set_view");
    check(MPI_File_seek(file_, part.first, MPI_SEEK_SET) == MPI_SUCCESS, "seek");
  }

  void write() {
    const RankPart& part = pattern_.parts[static_cast<size_t>(session_.rank())];
    Buffer buffer(memory_rng_, part.last - part.first);
    for (int64_t k = part.first; k < part.last; ++k) {
      buffer.bytes[buffer.index(k - part.first)] = content(session_.rank(), k);
    }
    const std::vector<unsigned char> before = buffer.bytes;
    set_view(part);
    MPI_Status status;
    const int code =
        MPI_File_write_all(file_, buffer.bytes.data(), buffer.count(), buffer.handle(), &status);
    check(code == MPI_SUCCESS, "write_all");
    check_count(status, part.last - part.first, "write_all");
    check(buffer.bytes == before, "write_all changed the program's memory");
  }

  void check_count(const MPI_Status& status, int64_t bytes, const std::string& what) {
    const int64_t said = fault_test::bytes_of(status);
    check(said == bytes,
          what + " counts " + std::to_string(said) + " bytes, not " + std::to_string(bytes));
  }

  void check_file() {
    if (session_.rank() != 0) {
      return;
    }
    std::vector<unsigned char> bytes(model_.size() + 1);
    const int fd = ::open(path_.c_str(), O_RDONLY);
    const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), 0);
    ::close(fd);
    check(got == static_cast<ssize_t>(model_.size()), "the file has " + std::to_string(got) +
                                                          " bytes (or more), not " +
                                                          std::to_string(model_.size()));
    compare(bytes, model_, "the file");
  }

  void compare(const std::vector<unsigned char>& got, const std::vector<unsigned char>& wanted,
               const std::string& what) {
    const size_t common = std::min(got.size(), wanted.size());
    const auto differs = std::mismatch(wanted.begin(), wanted.begin() + common, got.begin());
    const int64_t at = differs.first - wanted.begin();
    check(at == static_cast<int64_t>(common),
          what + " differs at byte " + std::to_string(at) + ": " +
              (at < static_cast<int64_t>(common)
                   ? std::to_string(*differs.second) + ", not " + std::to_string(*differs.first)
                   : ""));
  }

  // Each rank reads what its neighbour wrote, and in half of the trials goes on behind it: holes,
  // bytes of others that its view has again, and the end of the file.
  void read() {
    RankPart part = pattern_.parts[static_cast<size_t>((session_.rank() + 1) % session_.size())];
    part.last += beyond_;
    Buffer buffer(memory_rng_, part.last - part.first);
    std::vector<unsigned char> wanted = buffer.bytes;
    int64_t inside = 0;
    for (int64_t k = part.first; k < part.last; ++k) {
      const int64_t offset = part.offset(k);
      if (offset < static_cast<int64_t>(model_.size())) {
        wanted[buffer.index(k - part.first)] = model_[static_cast<size_t>(offset)];
        ++inside;
      }
    }
    set_view(part);
    MPI_Status status;
    const int code =
        MPI_File_read_all(file_, buffer.bytes.data(), buffer.count(), buffer.handle(), &status);
    check(code == MPI_SUCCESS, "read_all");
    check_count(status, inside, "read_all");
    compare(buffer.bytes, wanted, "what read_all gave");
  }

  Session& session_;
  std::string path_;
  Rng rng_;
  Rng memory_rng_;
  Pattern pattern_;
  int64_t prefilled_ = 0;
  int64_t beyond_ = 0;
  std::vector<unsigned char> model_;
  MPI_File file_ = MPI_FILE_NULL;
  bool well_ = true;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 0);
    } else if (name == "--combination") {
      options.only = std::atoi(value);
    } else if (name == "--shape") {
      options.only_shape = std::atoi(value);
    } else if (name == "--every") {
      options.every = std::max(1, std::atoi(value));
    } else if (name == "--full") {
      options.full = std::atoi(value) != 0;
    } else if (name == "--exchange") {
      options.exchange = value;
    } else if (name == "--without-exchange") {
      options.without_exchange = value;
    } else if (name == "--buffer") {
      options.buffer_bytes = value;
    } else if (name == "--dir") {
      options.dir = value;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

bool run_trial(Session& session, const Options& options, int number, const Combination& combination,
               int shape) {
  session.at(combination.words() + " pattern=" + name_of(kShapes[shape]) + ", replay: --seed " +
             std::to_string(options.seed) + " --combination " + std::to_string(number) +
             " --shape " + std::to_string(shape) +
             (options.buffer_bytes.empty() ? "" : " --buffer " + options.buffer_bytes));
  const uint64_t seed = random_test::mix(options.seed, static_cast<uint64_t>(number * 3 + shape));
  Trial trial(session, options.path, seed, kShapes[shape]);
  const bool well = trial.run(combination, options.buffer_bytes);
  return random_test::polite_reduce(well ? 0 : 1, MPI_SUM, MPI_COMM_WORLD) == 0;
}

bool is_wanted(const Options& options, const Combination& combination, int number, int shape) {
  const std::string exchange = combination.exchange;
  if (exchange.find(options.exchange) == std::string::npos ||
      (!options.without_exchange.empty() &&
       exchange.find(options.without_exchange) != std::string::npos)) {
    return false;
  }
  if (options.only >= 0) {
    return number == options.only && (options.only_shape < 0 || shape == options.only_shape);
  }
  const int turn = (number / 3 + number) % 3;  // the last of the nested choices has 3 values
  return number % options.every == 0 && (options.full || shape == turn);
}

void run_all(Session& session, const Options& options) {
  const std::vector<Combination> all = all_combinations();
  const double start = MPI_Wtime();
  int trials = 0;
  int failed = 0;
  for (int number = 0; number < static_cast<int>(all.size()) && failed < kStopAfter; ++number) {
    for (int shape = 0; shape < 3; ++shape) {
      const Combination& combination = all[static_cast<size_t>(number)];
      if (is_wanted(options, combination, number, shape)) {
        ++trials;
        failed += run_trial(session, options, number, combination, shape) ? 0 : 1;
      }
    }
  }
  if (session.rank() == 0) {
    unlink(options.path.c_str());
    std::printf("%zu combinations, %d trials in %.1f s, %d failed\n", all.size(), trials,
                MPI_Wtime() - start, failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  Options options;
  options.dir = collective_test::default_directory();
  const bool understood = parse(argc, argv, options);
  session.expect(understood, "the arguments");
  if (understood) {
    options.path = collective_test::scratch_path(options.dir, "combinations");
    run_all(session, options);
  }
  return session.finish();
}
