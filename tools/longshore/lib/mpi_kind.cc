#include "lib/mpi_kind.h"

#include <charconv>

namespace longshore::cli {
namespace {

constexpr int kOldestOpenMpiVersion = 20;

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// 40 for "libmpi.so.40", if the name begins with `stem` (here "libmpi.so.").
std::optional<int> version_after(std::string_view soname, std::string_view stem) {
  if (!soname.starts_with(stem)) {
    return std::nullopt;
  }
  int version = 0;
  const char* end = soname.data() + soname.size();
  const auto parsed = std::from_chars(soname.data() + stem.size(), end, version);
  return parsed.ec == std::errc{} ? std::optional(version) : std::nullopt;
}

}  // namespace

std::string_view name(MpiKind mpi) { return mpi == MpiKind::kOpenMpi ? "openmpi" : "mpich"; }

std::optional<MpiKind> mpi_of_name(std::string_view name) {
  if (name == "openmpi") {
    return MpiKind::kOpenMpi;
  }
  return name == "mpich" ? std::optional(MpiKind::kMpich) : std::nullopt;
}

std::optional<MpiKind> mpi_of_soname(std::string_view soname) {
  if (soname.starts_with("libmpich")) {
    return MpiKind::kMpich;
  }
  const auto version = version_after(soname, "libmpi.so.");
  if (!version) {
    return std::nullopt;
  }
  return *version >= kOldestOpenMpiVersion ? MpiKind::kOpenMpi : MpiKind::kMpich;
}

std::optional<MpiKind> mpi_of_version_text(std::string_view text) {
  if (contains(text, "Open MPI") || contains(text, "OpenRTE") || contains(text, "open-mpi.org") ||
      contains(text, "PRRTE")) {
    return MpiKind::kOpenMpi;
  }
  if (contains(text, "HYDRA") || contains(text, "MPICH")) {
    return MpiKind::kMpich;
  }
  return std::nullopt;
}

}  // namespace longshore::cli
