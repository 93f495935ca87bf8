#include "lib/library.h"

#include <algorithm>
#include <array>

#ifndef LONGSHORE_INSTALL_LIBDIR
#define LONGSHORE_INSTALL_LIBDIR "lib"
#endif

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "liblongshore.so";

// "asan-openmpi" with mpich is "asan-mpich"; empty if the tree's name does not end in an MPI's.
std::string sibling_tree(const std::string& tree, MpiKind mpi) {
  for (const auto own : {name(MpiKind::kOpenMpi), name(MpiKind::kMpich)}) {
    if (tree.ends_with(own)) {
      return tree.substr(0, tree.size() - own.size()) + std::string(name(mpi));
    }
  }
  return {};
}

bool linked_with_other(const System& system, const fs::path& library, MpiKind mpi) {
  const auto needed = system.libraries_of(library);
  return std::any_of(needed.begin(), needed.end(), [mpi](const std::string& soname) {
    const auto owner = mpi_of_soname(soname);
    return owner && *owner != mpi;
  });
}

}  // namespace

std::vector<fs::path> library_candidates(const System& system, MpiKind mpi) {
  if (const auto folder = system.environment("LONGSHORE_LIB_DIR"); folder && !folder->empty()) {
    return {fs::path(*folder) / name(mpi) / kFileName, fs::path(*folder) / kFileName};
  }
  const fs::path prefix = system.own_path().parent_path().parent_path();
  std::vector<fs::path> places;
  if (const auto sibling = sibling_tree(prefix.filename(), mpi); !sibling.empty()) {
    places.push_back(prefix.parent_path() / sibling / "lib" / kFileName);
  }
  for (const std::string_view folder : {LONGSHORE_INSTALL_LIBDIR, "lib", "lib64"}) {
    const auto place = prefix / folder / "longshore" / name(mpi) / kFileName;
    if (std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(place);
    }
  }
  return places;
}

Result<fs::path> find_library(const System& system, MpiKind mpi) {
  std::string looked;
  for (const auto& place : library_candidates(system, mpi)) {
    if (system.is_file(place)) {
      if (linked_with_other(system, place, mpi)) {
        return fail(ErrorClass::kBadFile, place.string() + " is not linked with " +
                                              std::string(name(mpi)) + " but with another MPI");
      }
      return place;
    }
    looked += "\n  " + place.string();
  }
  return fail(ErrorClass::kNoSuchFile, "no liblongshore.so for " + std::string(name(mpi)) +
                                           "; looked for" + looked +
                                           "\nset LONGSHORE_LIB_DIR to the folder that has it");
}

}  // namespace longshore::cli
