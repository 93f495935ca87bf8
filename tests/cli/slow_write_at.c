/* An MPI-IO whose MPI_File_write_at is slow: to be preloaded. It waits after each call, so that a
 * checker that compares it with MPI_File_seek and MPI_File_write must find it. */
#include <mpi.h>

static const double kWaitSeconds = 0.0002;

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* memory, int count,
                      MPI_Datatype type, MPI_Status* status) {
  const int code = PMPI_File_write_at(file, offset, memory, count, type, status);
  const double end = PMPI_Wtime() + kWaitSeconds;
  while (PMPI_Wtime() < end) {
  }
  return code;
}
