// What small independent writes cost at most, however many there are: memory, and time while
// nothing happens.
//
// Memory is what this process alone has, and its part of what it shares with others: growth of
// Pss_Anon and Pss_Shmem of /proc/self/smaps_rollup. (RssShmem counts a shared page in each process
// that has touched it, so that ranks on one host together seem to have many times what they have.)
// The bound of a rank is longshore_cache_size, over all its files, and a slack for what is no page.
//
// usage: limits files N [leak]     N files open at once
//        limits writes N [leak]    N writes of 64 bytes in all
//        limits idle [busy]        a second in which nothing happens
// With leak or busy the program does itself what the test is to see.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "../collective/scratch.h"
#include "small_file.h"

namespace {

using independent_test::Bytes;
using independent_test::content;
using independent_test::HintPairs;
using independent_test::plain_read;
using independent_test::Session;
using independent_test::SmallFile;

constexpr int kHangSeconds = 110;
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kRecordBytes = 64;
constexpr int64_t kCacheBytes = 4 * kMiB;
constexpr int64_t kSlackBytes = 8 * kMiB;
constexpr int64_t kFileBytes = 256 * 1024;  // of a file that is open: its communicator, its handles

const HintPairs kHints = {{"longshore_cache_size", std::to_string(kCacheBytes)}};

int64_t memory_bytes() {
  std::ifstream lines("/proc/self/smaps_rollup");
  int64_t kib = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Pss_Anon:", 0) == 0 || line.rfind("Pss_Shmem:", 0) == 0) {
      kib += std::atoll(line.c_str() + line.find(':') + 1);
    }
  }
  return kib * 1024;
}

class Limits {
 public:
  Limits(Session& session, bool planted)
      : session_(session),
        planted_(planted),
        path_(collective_test::scratch_path(collective_test::default_directory(), "limits")) {}

  void files(int64_t count);
  void writes(int64_t count);
  void idle();

 private:
  // What the MPI and the library have once and for all is not counted.
  void warm_up() {
    SmallFile file(session_, MPI_COMM_WORLD, path_, kHints);
    file.write(session_.rank() * kRecordBytes, kRecordBytes, 0);
    file.sync();
    file.close();
    remove(path_);
    before_bytes_ = memory_bytes();
    most_bytes_ = before_bytes_;
    session_.expect(before_bytes_ > 0, "this system does not tell what memory is shared by whom");
  }
  void look_at_memory() {
    if (planted_ && leak_.empty()) {
      leak_.assign(static_cast<size_t>(32 * kMiB), 'x');
    }
    most_bytes_ = std::max(most_bytes_, memory_bytes());
  }
  void judge_memory(int64_t files) {
    const int64_t grown = most_bytes_ - before_bytes_;
    const int64_t bound = kCacheBytes + kSlackBytes + files * kFileBytes;
    std::printf("rank %d: memory grew by %lld KiB; the bound is %lld KiB\n", session_.rank(),
                static_cast<long long>(grown >> 10), static_cast<long long>(bound >> 10));
    session_.expect(grown <= bound, "memory grew by " + std::to_string(grown >> 10) +
                                        " KiB, more than " + std::to_string(bound >> 10));
  }
  void remove(const std::string& path) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      unlink(path.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int64_t place(int64_t record) const {
    return (record * session_.size() + session_.rank()) * kRecordBytes;
  }

  Session& session_;
  bool planted_;
  std::string path_;
  std::string leak_;
  int64_t before_bytes_ = 0;
  int64_t most_bytes_ = 0;
};

void Limits::files(int64_t count) {
  constexpr int64_t kRecords = 400;  // of a rank in a file: of some pages, most of them half full
  warm_up();
  std::vector<std::unique_ptr<SmallFile>> files;
  const auto path_of = [&](int64_t f) { return path_ + "." + std::to_string(f); };
  for (int64_t f = 0; f < count; ++f) {
    files.push_back(std::make_unique<SmallFile>(session_, MPI_COMM_WORLD, path_of(f), kHints));
  }
  for (int64_t i = 0; i < kRecords; ++i) {
    for (int64_t f = 0; f < count; ++f) {
      files[static_cast<size_t>(f)]->write(place(i), kRecordBytes, static_cast<int>(f));
    }
    if (i % 100 == 0) {
      look_at_memory();
    }
  }
  look_at_memory();
  for (int64_t f = 0; f < count; ++f) {
    files[static_cast<size_t>(f)]->expect(place(7), kRecordBytes, static_cast<int>(f),
                                          "file " + std::to_string(f));
  }
  for (auto& file : files) {
    file->close();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t end = kRecords * session_.size() * kRecordBytes;
  for (int64_t f = session_.rank(); f < count; f += session_.size()) {
    session_.expect(plain_read(path_of(f), 0, end + 1) == content(0, end, static_cast<int>(f)),
                    "file " + std::to_string(f) + " after its close");
    unlink(path_of(f).c_str());
  }
  judge_memory(count);
}

// Round after round over the same million records, so that the file stays small.
void Limits::writes(int64_t count) {
  constexpr int64_t kRecordsOfRound = 1000000;
  warm_up();
  SmallFile file(session_, MPI_COMM_WORLD, path_, kHints);
  const int64_t records = std::min(count, kRecordsOfRound) / session_.size();
  const int64_t part = records * kRecordBytes;
  const auto rounds = static_cast<int>(std::max<int64_t>(1, count / kRecordsOfRound));
  for (int round = 0; round < rounds; ++round) {
    bool fine = true;
    for (int64_t i = 0; i < records; ++i) {
      fine &= file.try_write(place(i), kRecordBytes, round);
      if (i % 50000 == 0) {
        look_at_memory();
      }
    }
    session_.expect(fine, "a write");
    file.sync_barrier_sync();
    session_.expect(plain_read(path_, session_.rank() * part, part) ==
                        content(session_.rank() * part, part, round),
                    "the file after round " + std::to_string(round));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  file.close();
  judge_memory(1);
  remove(path_);
}

double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The best of three: who else is on the machine can make a thread wake up more often, not less.
void Limits::idle() {
  constexpr double kMostShare = 0.01;
  SmallFile file(session_, MPI_COMM_WORLD, path_, kHints);
  for (int64_t i = 0; i < 1000; ++i) {
    file.write(place(i), kRecordBytes, 1);
  }
  std::atomic<bool> over{false};
  std::thread busy([&] {
    while (planted_ && !over) {
    }
  });
  double least = 1;
  double worst = 1;  // of the ranks: they try again together
  for (int attempt = 0; attempt < 3 && worst >= kMostShare; ++attempt) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = cpu_seconds();
    sleep(1);
    least = std::min(least, cpu_seconds() - before);
    MPI_Allreduce(&least, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  over = true;
  busy.join();
  std::printf("rank %d: %.2f%% of a core while idle\n", session_.rank(), least * 100);
  session_.expect(least < kMostShare, std::to_string(least * 100) + "% of a core while idle");
  file.close();
  remove(path_);
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string last = argc > 1 ? argv[argc - 1] : "";
  session.at("limits " + what);
  Limits limits(session, last == "leak" || last == "busy");
  const int64_t count = argc > 2 ? std::atoll(argv[2]) : 0;
  if (what == "files" && count > 0) {
    limits.files(count);
  } else if (what == "writes" && count > 0) {
    limits.writes(count);
  } else if (what == "idle") {
    limits.idle();
  } else {
    session.expect(false, "usage: limits files N [leak] | writes N [leak] | idle [busy]");
  }
  return session.finish();
}
