// Ranks write one after the other: turns FILE. On a timeline of all of them their calls are in
// order, and so far apart that clocks which are set to one another by a barrier keep it.
#include <mpi.h>
#include <unistd.h>

#include <vector>

#include "../faults/fault_test.h"

namespace {

constexpr int kHangSeconds = 100;
constexpr int kBytes = 1 << 20;
constexpr int kPauseUs = 200000;

}  // namespace

int main(int argc, char** argv) {
  fault_test::Session session(&argc, &argv, kHangSeconds);
  session.at("turns");
  const std::vector<char> mine(kBytes, static_cast<char>('a' + session.rank()));
  MPI_File file = MPI_FILE_NULL;
  session.expect_all(MPI_File_open(MPI_COMM_WORLD, argc > 1 ? argv[1] : "",
                                   MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
                     {MPI_SUCCESS}, "open");
  for (int rank = 0; rank < session.size(); ++rank) {
    if (rank == session.rank()) {
      session.expect_class(MPI_File_write_at(file, MPI_Offset{rank} * kBytes, mine.data(), kBytes,
                                             MPI_CHAR, MPI_STATUS_IGNORE),
                           {MPI_SUCCESS}, "write_at");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(kPauseUs);
  }
  session.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close");
  return session.finish();
}
