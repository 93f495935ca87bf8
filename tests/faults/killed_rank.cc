// Rank 1 is killed in the middle of writes: the launcher must end the job.
//
// usage: killed_rank [small]    collective writes, or small independent ones with a sync now and
// then
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void die(int) { std::raise(SIGKILL); }

[[noreturn]] void write_collectively(MPI_File file, int rank) {
  std::vector<char> bytes(1 << 20, 'x');
  for (;;) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at_all(file, rank * int64_t{1 << 20}, bytes.data(), 1 << 20, MPI_BYTE,
                           &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank * int64_t{1 << 20}, bytes.data(), 1 << 20, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  }
}

// Records of all ranks in turn: all are in the same pages all the time.
[[noreturn]] void write_small(MPI_File file, int rank, int ranks) {
  constexpr int64_t kRecords = 20000;
  char record[64];
  std::memset(record, 'x', sizeof record);
  for (int64_t i = 0;; ++i) {
    const int64_t at = (i % kRecords * ranks + rank) * int64_t{sizeof record};
    MPI_File_write_at(file, at, record, sizeof record, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, at, record, sizeof record, MPI_BYTE, MPI_STATUS_IGNORE);
    if (i % (5 * kRecords) == kRecords) {
      MPI_File_sync(file);
    }
  }
}

}  // namespace

// Ends only if the launcher ends it, or the script's time limit.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "killed.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  if (rank == 1) {
    std::signal(SIGALRM, die);
    ualarm(300000, 0);
  }
  if (argc > 1) {
    write_small(file, rank, ranks);
  }
  write_collectively(file, rank);
}
