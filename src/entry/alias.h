// entry/alias.h - both names of every routine lead to one piece of code.
#pragma once

// MPI_X is another name of our PMPI_X.
#define LONGSHORE_ALIAS(function) \
  extern "C" decltype(P##function) function __attribute__((alias("P" #function)))
