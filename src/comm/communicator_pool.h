// comm/communicator_pool.h - private communicators, kept between opens.
//
// Duplicating a communicator, finding out which ranks share a host and setting up a shared counter
// costs more than opening a file. So the pool hangs these on the program's communicator as an
// attribute: the first open on it pays, later ones take what an earlier close gave back.
#pragma once
#include <mpi.h>

#include <memory>

#include "comm/mpi_communicator.h"
#include "core/result.h"

namespace longshore {

// Returns a communicator of the same ranks as `program_comm` that no one else uses. Collective over
// `program_comm`; fails alike on all ranks. Dropping the last reference gives it back.
//   REQUIRES: an intracommunicator.
[[nodiscard]] Result<std::shared_ptr<MpiCommunicator>> borrow_communicator(MPI_Comm program_comm);

}  // namespace longshore
