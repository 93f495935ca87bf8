// polite.h - waiting for other ranks without burning the cores that they need: with eight ranks on
// two cores an MPI that polls makes the test ten times slower.
#pragma once

#include <mpi.h>
#include <sched.h>

namespace random_test {

inline void polite_wait(MPI_Request request) {
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    sched_yield();
  }
}

inline void polite_barrier(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  polite_wait(request);
}

inline int polite_reduce(int value, MPI_Op op, MPI_Comm comm) {
  int out = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &out, 1, MPI_INT, op, comm, &request);
  polite_wait(request);
  return out;
}

}  // namespace random_test
