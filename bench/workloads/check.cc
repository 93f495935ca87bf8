#include "workloads/check.h"

#include <mpi.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace longshore::bench {

void give_up(int exit_code, const std::string& why) {
  std::fprintf(stderr, "longshore-workload: %s\n", why.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

void check(int mpi_code, const char* call) {
  if (mpi_code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(mpi_code, text.data(), &length);
  give_up(kCallFailed, std::string(call) + ": " + text.data());
}

void check_errno(bool ok, const std::string& what) {
  if (!ok) {
    give_up(kCallFailed, what + ": " + std::strerror(errno));
  }
}

}  // namespace longshore::bench
