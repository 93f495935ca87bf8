// entry/errors.h - our errors in the MPI's numbers, through the MPI's error handlers.
#pragma once
#include <mpi.h>

#include "core/error.h"
#include "core/result.h"

namespace longshore {

[[nodiscard]] int mpi_class(ErrorClass code);

// Calls the handle's error handler and returns the class, or what a handler made of it.
// A handle that is not ours stands for MPI_FILE_NULL.
int raise(MPI_File handle, const Error& error);

// MPI_SUCCESS, or raise().
int answer(MPI_File handle, const Status& status);

}  // namespace longshore
