// Rank 1 is killed in the middle of collective writes: the launcher must end the job.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

namespace {

void die(int) { std::raise(SIGKILL); }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "killed.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  std::vector<char> bytes(1 << 20, 'x');
  if (rank == 1) {
    std::signal(SIGALRM, die);
    ualarm(300000, 0);
  }
  // Ends only if the launcher ends it, or the script's time limit.
  for (;;) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at_all(file, rank * int64_t{1 << 20}, bytes.data(), 1 << 20, MPI_BYTE,
                           &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank * int64_t{1 << 20}, bytes.data(), 1 << 20, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  }
}
