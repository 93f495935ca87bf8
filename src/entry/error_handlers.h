// entry/error_handlers.h - the program's own error handlers.
//
// The MPI keeps and calls error handlers, with one exception: a handler written in C is called from
// here, because it may change the code that the failed routine returns, and because a failed open
// has to pass MPI_FILE_NULL, which not every MPI takes.
#pragma once
#include <mpi.h>

namespace longshore {

struct Handler {
  MPI_File_errhandler_function* function = nullptr;  // null: the MPI does the calling
  bool fortran = false;                              // takes a Fortran handle

  // Calls the function and returns what it made of the code. REQUIRES: a function.
  [[nodiscard]] int call(MPI_File handle, int code) const;
};

// What is called for errors on MPI_FILE_NULL, failed opens included. New files start with it.
[[nodiscard]] Handler default_handler();

}  // namespace longshore
