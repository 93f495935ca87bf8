// scratch.h - files of this folder's programs.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <string>

namespace collective_test {

// In memory unless a folder is named: what is measured is the library, not a disk.
inline std::string default_directory() { return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "."; }

// Collective. The same path on all ranks, and another one in each run: both MPIs, and several build
// trees, may be tested at the same time.
inline std::string scratch_path(const std::string& directory, const std::string& name) {
  int id = static_cast<int>(getpid());
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return directory + "/" + name + "." + std::to_string(id);
}

}  // namespace collective_test
