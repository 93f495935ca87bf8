// lib/mpi_kind.h - the MPIs that the library is built for, and how their parts are recognised.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace longshore::cli {

enum class MpiKind { kOpenMpi, kMpich };

// "openmpi" or "mpich": the names of build trees and of folders in an installation.
[[nodiscard]] std::string_view name(MpiKind mpi);
[[nodiscard]] std::optional<MpiKind> mpi_of_name(std::string_view name);

// Whose library a shared object name such as "libmpi.so.40" is. Both MPIs have a libmpi.so: MPICH's
// ABI has had version 12 since 2014, Open MPI's numbers have been 20 and more since 2016.
[[nodiscard]] std::optional<MpiKind> mpi_of_soname(std::string_view soname);

// Whose mpirun printed this for --version.
[[nodiscard]] std::optional<MpiKind> mpi_of_version_text(std::string_view text);

}  // namespace longshore::cli
