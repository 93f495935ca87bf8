// entry/transfer.h - from a data access call's arguments to the file and back to a status.
#pragma once
#include <mpi.h>

#include "file/file.h"

namespace longshore {

// The arguments that all data access routines have in some form.
struct DataCall {
  Operation operation;
  MPI_Offset offset = 0;  // for explicit offsets
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// Each returns an MPI code after having called the error handler.
int blocking(MPI_File handle, const DataCall& call, MPI_Status* status);
int nonblocking(MPI_File handle, const DataCall& call, MPI_Request* request);
int split_begin(MPI_File handle, const DataCall& call);
int split_end(MPI_File handle, const Operation& operation, MPI_Status* status);

}  // namespace longshore
