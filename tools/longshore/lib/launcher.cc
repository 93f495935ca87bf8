#include "lib/launcher.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kLauncherNames = {"mpirun",  "mpiexec", "orterun",
                                                            "prterun", "srun",    "flux"};

// "mpirun" for "/usr/bin/mpirun.openmpi".
std::string stem_of(const std::string& word) {
  const std::string file = fs::path(word).filename();
  return file.substr(0, file.find('.'));
}

bool is_launcher_name(const std::string& word) {
  const auto stem = stem_of(word);
  return std::find(kLauncherNames.begin(), kLauncherNames.end(), stem) != kLauncherNames.end();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The file behind Debian's alternatives and other links mostly tells by its name.
std::optional<MpiKind> mpi_of_file_name(const std::string& file) {
  if (contains(file, "orterun") || contains(file, "prterun") || contains(file, "openmpi")) {
    return MpiKind::kOpenMpi;
  }
  if (contains(file, "hydra") || contains(file, "mpich")) {
    return MpiKind::kMpich;
  }
  return std::nullopt;
}

Result<LauncherKind> kind_of(const System& system, const std::string& word,
                             std::optional<MpiKind> otherwise) {
  const auto program = require_program(system, word);
  if (!program) {
    return fail(program.error());
  }
  const auto stem = stem_of(word);
  if (stem == "srun") {
    return LauncherKind::kSlurm;
  }
  if (stem == "flux") {
    return LauncherKind::kFlux;
  }
  auto mpi = mpi_of_file_name(system.resolve(*program).filename());
  if (!mpi) {
    mpi = mpi_of_version_text(system.output_of({program->string(), "--version"}));
  }
  if (!mpi) {
    mpi = otherwise;
  }
  if (!mpi) {
    return fail(ErrorClass::kUnsupportedOperation,
                program->string() + " belongs neither to Open MPI nor to MPICH, by its --version");
  }
  return *mpi == MpiKind::kOpenMpi ? LauncherKind::kOpenMpi : LauncherKind::kHydra;
}

}  // namespace

Result<std::optional<Launcher>> find_launcher(const System& system,
                                              const std::vector<std::string>& command,
                                              std::optional<MpiKind> mpi) {
  auto word = std::find_if(command.begin(), command.end(), is_launcher_name);
  const bool wrapped = word != command.begin();
  if (word == command.end() || (wrapped && mpi_of_program(system, command.front()))) {
    return std::nullopt;
  }
  const auto kind = kind_of(system, *word, mpi);
  if (!kind) {
    return fail(kind.error());
  }
  return Launcher{*kind, static_cast<size_t>(word - command.begin())};
}

std::optional<MpiKind> mpi_of_program(const System& system, const std::string& word) {
  const auto program = system.find_program(word);
  if (!program) {
    return std::nullopt;
  }
  for (const auto& soname : system.libraries_of(*program)) {
    if (const auto mpi = mpi_of_soname(soname)) {
      return mpi;
    }
  }
  return std::nullopt;
}

}  // namespace longshore::cli
