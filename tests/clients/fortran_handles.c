/* The C side of fortran_handles.F90: files cross the language border in both directions. */
#include <mpi.h>

/* Writes `value` at integer `index` of the file that Fortran opened. Returns an error code. */
int write_from_c(MPI_Fint fortran_file, int index, int value) {
  MPI_File file = MPI_File_f2c(fortran_file);
  if (MPI_File_c2f(file) != fortran_file) {
    return MPI_ERR_OTHER;
  }
  return MPI_File_write_at(file, (MPI_Offset)index * (MPI_Offset)sizeof(int), &value, 1, MPI_INT,
                           MPI_STATUS_IGNORE);
}

/* Opens a file in C and returns its Fortran handle, or that of MPI_FILE_NULL on failure. */
MPI_Fint open_in_c(void) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "fortran_handles_c.dat", MPI_MODE_CREATE | MPI_MODE_RDWR,
                MPI_INFO_NULL, &file);
  return MPI_File_c2f(file);
}

/* 1 if the Fortran handle names MPI_FILE_NULL. */
int is_null_in_c(MPI_Fint fortran_file) { return MPI_File_f2c(fortran_file) == MPI_FILE_NULL; }
