// MPI_Init and MPI_Init_thread ask for MPI_THREAD_MULTIPLE, so that nonblocking operations can go
// on while the program computes. The program sees the level that is really provided, which is never
// less than it would have been. LONGSHORE_THREADS=0 leaves the program's own level. MPI_Finalize
// ends what our threads do before the MPI ends.
#include <mpi.h>

#include <cstdlib>
#include <cstring>

#include "comm/real.h"
#include "entry/alias.h"
#include "entry/handles.h"

namespace longshore {
namespace {

bool threads_wanted() {
  const char* text = std::getenv("LONGSHORE_THREADS");
  return text == nullptr || std::strcmp(text, "0") != 0;
}

// Open MPI has two kinds of file handles; ours only carry error handlers, and those of the older
// kind are made much faster. A choice of the user's stands.
void prefer_light_handles() {
#ifdef OPEN_MPI
  setenv("OMPI_MCA_io_ompio_priority", "1", 0);
#endif
}

int init(int* argc, char*** argv, int required, int* provided) {
  prefer_light_handles();
  const int wanted = threads_wanted() ? MPI_THREAD_MULTIPLE : required;
  return LONGSHORE_REAL(PMPI_Init_thread)(argc, argv, wanted, provided);
}

}  // namespace
}  // namespace longshore

extern "C" int PMPI_Init(int* argc, char*** argv) {
  int provided = MPI_THREAD_SINGLE;
  return longshore::init(argc, argv, MPI_THREAD_SINGLE, &provided);
}
LONGSHORE_ALIAS(MPI_Init);

extern "C" int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return longshore::init(argc, argv, required, provided);
}
LONGSHORE_ALIAS(MPI_Init_thread);

extern "C" int PMPI_Finalize() {
  longshore::rescue_open_files();
  return LONGSHORE_REAL(PMPI_Finalize)();
}
LONGSHORE_ALIAS(MPI_Finalize);
