// lib/launcher.h - which word of a command line starts the ranks, and whose launcher it is.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/mpi_kind.h"
#include "lib/system.h"

namespace longshore::cli {

enum class LauncherKind { kOpenMpi, kHydra, kSlurm, kFlux };

struct Launcher {
  LauncherKind kind = LauncherKind::kOpenMpi;
  size_t index = 0;  // of its word in the command line
};

// The launcher in `command`, which may stand behind wrappers (`timeout 60 mpirun ...`); nothing if
// the first word is an MPI program itself or no word is a launcher's name (mpirun, mpiexec,
// orterun, prterun, srun, flux; also mpirun.openmpi and the like). Fails with kNoSuchFile if the
// launcher is not there, with kAccess if it cannot be executed, with kUnsupportedOperation if it
// belongs to neither MPI. A launcher that does not say whose it is, such as a site's own script, is
// taken to be of `mpi` if that is given, and to understand its flags.
[[nodiscard]] Result<std::optional<Launcher>> find_launcher(
    const System& system, const std::vector<std::string>& command,
    std::optional<MpiKind> mpi = std::nullopt);

// The MPI that a program is linked with; nothing if it is not found, not ELF (a script), or uses
// none directly or through its libraries.
[[nodiscard]] std::optional<MpiKind> mpi_of_program(const System& system, const std::string& word);

}  // namespace longshore::cli
