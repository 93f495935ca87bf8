// Times what a library cannot make faster: contiguous independent accesses of 1 MiB, opening and
// closing. Prints one line of JSON with the median of each, in microseconds, of the slowest rank.
// compare.py runs it with and without the library, in turn.
//
// usage: overhead DIRECTORY
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kAccessBytes = 1 << 20;
constexpr int kAccesses = 32;  // per rank and round, to a stretch of its own
constexpr int kRounds = 8;     // the first one fills the caches and does not count
constexpr int kOpens = 60;
constexpr int kOpensToWarm = 10;

int rank = 0;

double median_us(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double mine = seconds[seconds.size() / 2] * 1e6;
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

MPI_File open_file(const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                 MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS) {
    std::fprintf(stderr, "overhead: cannot open %s\n", path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

struct AccessTimes {
  std::vector<double> write;
  std::vector<double> read;
};

// Times every access of one round; with `count` false only does them.
void access_round(MPI_File file, std::vector<char>& buffer, bool count, AccessTimes& times) {
  for (int i = 0; i < kAccesses; ++i) {
    const MPI_Offset at = (int64_t{rank} * kAccesses + i) * kAccessBytes;
    const double start = MPI_Wtime();
    MPI_File_write_at(file, at, buffer.data(), kAccessBytes, MPI_BYTE, MPI_STATUS_IGNORE);
    const double middle = MPI_Wtime();
    MPI_File_read_at(file, at, buffer.data(), kAccessBytes, MPI_BYTE, MPI_STATUS_IGNORE);
    const double end = MPI_Wtime();
    if (count) {
      times.write.push_back(middle - start);
      times.read.push_back(end - middle);
    }
  }
}

AccessTimes time_accesses(const std::string& path) {
  AccessTimes times;
  std::vector<char> buffer(kAccessBytes, static_cast<char>('a' + rank));
  MPI_File file = open_file(path);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    access_round(file, buffer, round > 0, times);
  }
  MPI_File_close(&file);
  return times;
}

std::vector<double> time_opens(const std::string& path) {
  std::vector<double> times;
  for (int i = 0; i < kOpens + kOpensToWarm; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_File file = open_file(path);
    MPI_File_close(&file);
    if (i >= kOpensToWarm) {
      times.push_back(MPI_Wtime() - start);
    }
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string path = std::string(argc > 1 ? argv[1] : ".") + "/overhead.data";
  AccessTimes times = time_accesses(path);
  const double write_us = median_us(times.write);
  const double read_us = median_us(times.read);
  const double open_us = median_us(time_opens(path));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(path.c_str());
    std::printf("{\"write_at\": %.3f, \"read_at\": %.3f, \"open_close\": %.3f}\n", write_us,
                read_us, open_us);
  }
  MPI_Finalize();
  return 0;
}
