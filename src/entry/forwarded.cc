// Routines on handles that the MPI itself answers, since our handles are its own. They are taken
// over all the same, so that every MPI_File_* name leads here and a tool sees one library.
#include <mpi.h>

#include "comm/real.h"
#include "entry/alias.h"

extern "C" int PMPI_File_create_errhandler(MPI_File_errhandler_function* function,
                                           MPI_Errhandler* errhandler) {
  return LONGSHORE_REAL(PMPI_File_create_errhandler)(function, errhandler);
}
LONGSHORE_ALIAS(MPI_File_create_errhandler);

extern "C" int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  return LONGSHORE_REAL(PMPI_File_set_errhandler)(file, errhandler);
}
LONGSHORE_ALIAS(MPI_File_set_errhandler);

extern "C" int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  return LONGSHORE_REAL(PMPI_File_get_errhandler)(file, errhandler);
}
LONGSHORE_ALIAS(MPI_File_get_errhandler);

extern "C" int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  return LONGSHORE_REAL(PMPI_File_call_errhandler)(fh, errorcode);
}
LONGSHORE_ALIAS(MPI_File_call_errhandler);

extern "C" MPI_Fint PMPI_File_c2f(MPI_File file) { return LONGSHORE_REAL(PMPI_File_c2f)(file); }
LONGSHORE_ALIAS(MPI_File_c2f);

extern "C" MPI_File PMPI_File_f2c(MPI_Fint file) { return LONGSHORE_REAL(PMPI_File_f2c)(file); }
LONGSHORE_ALIAS(MPI_File_f2c);
