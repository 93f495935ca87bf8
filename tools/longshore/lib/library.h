// lib/library.h - where liblongshore.so for a given MPI is.
#pragma once
#include <filesystem>
#include <vector>

#include "core/result.h"
#include "lib/mpi_kind.h"
#include "lib/system.h"

namespace longshore::cli {

// The places looked at, in order:
//   $LONGSHORE_LIB_DIR/<mpi>/ and $LONGSHORE_LIB_DIR/, and nothing else if that is set;
//   <tree>/../<sibling>/lib/ in a build, where the command is <tree>/bin/longshore and the sibling
//     is the tree's name with the MPI's name exchanged (asan-openmpi -> asan-mpich);
//   <prefix>/<lib>/longshore/<mpi>/ in an installation.
[[nodiscard]] std::vector<std::filesystem::path> library_candidates(const System& system,
                                                                    MpiKind mpi);

// The first candidate that exists. Fails with kNoSuchFile if none does, and with kBadFile if it is
// linked with another MPI; both say where it looked.
[[nodiscard]] Result<std::filesystem::path> find_library(const System& system, MpiKind mpi);

}  // namespace longshore::cli
