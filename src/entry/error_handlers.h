// entry/error_handlers.h - the program's own error handlers.
//
// The MPI keeps and calls error handlers, with one exception: a handler written in C is called from
// here, because it may change the code that the failed routine returns, and because a failed open
// has to pass MPI_FILE_NULL, which not every MPI takes.
#pragma once
#include <mpi.h>

namespace longshore {

using CHandler = MPI_File_errhandler_function*;

// The C function that is called for errors on MPI_FILE_NULL, failed opens included; null if the MPI
// does the calling. New files start with it.
[[nodiscard]] CHandler default_handler();

}  // namespace longshore
