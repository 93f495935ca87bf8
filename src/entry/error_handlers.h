// entry/error_handlers.h - the program's own error handlers.
//
// The MPI keeps and calls error handlers, with one exception: a handler written in C or Fortran is
// called from here, because it may change the code that the failed routine returns, and because a
// failed open has to pass MPI_FILE_NULL, which not every MPI takes.
#pragma once
#include <mpi.h>

namespace longshore {

struct Handler {
  enum class Language { kC, kFortran, kCxx };

  MPI_File_errhandler_function* function = nullptr;  // null: nothing is known of the handler
  Language language = Language::kC;

  // Calls the function and returns what the failed routine is to return: what the function made of
  // the code. After a handler of MPICH's C++ binding that is MPI_SUCCESS, as in MPICH: the binding
  // itself calls the handler for any other code, so that it would hear of the error twice.
  // REQUIRES: a function, which is the handler of `handle`.
  [[nodiscard]] int call(MPI_File handle, int code) const;
};

// What is called for errors on MPI_FILE_NULL, failed opens included. New files start with it.
[[nodiscard]] Handler default_handler();

}  // namespace longshore
