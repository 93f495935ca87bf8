// check.h - the end of a run that cannot go on.
#pragma once
#include <string>

namespace longshore::bench {

constexpr int kWrongBytes = 1;  // exit codes
constexpr int kUsageError = 2;
constexpr int kCallFailed = 3;

// Prints to standard error and ends all ranks with `exit_code`.
[[noreturn]] void give_up(int exit_code, const std::string& why);

// Returns if `mpi_code` is MPI_SUCCESS, else gives up with MPI's own words.
void check(int mpi_code, const char* call);

// Returns if `ok`, else gives up with errno's words.
void check_errno(bool ok, const std::string& what);

}  // namespace longshore::bench
