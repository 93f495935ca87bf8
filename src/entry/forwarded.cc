// Routines on handles that the MPI itself answers, since our handles are its own. They are taken
// over all the same, so that every MPI_File_* name leads here and a tool sees one library.
#include <mpi.h>

#include "comm/real.h"
#include "entry/alias.h"

extern "C" MPI_Fint PMPI_File_c2f(MPI_File file) { return LONGSHORE_REAL(PMPI_File_c2f)(file); }
LONGSHORE_ALIAS(MPI_File_c2f);

extern "C" MPI_File PMPI_File_f2c(MPI_Fint file) { return LONGSHORE_REAL(PMPI_File_f2c)(file); }
LONGSHORE_ALIAS(MPI_File_f2c);
