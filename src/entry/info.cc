#include "entry/info.h"

#include <array>
#include <string>

#include "comm/mpi_communicator.h"

namespace longshore {

HintMap hints_of(MPI_Info info) {
  HintMap hints;
  if (info == MPI_INFO_NULL) {
    return hints;
  }
  int keys = 0;
  PMPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    PMPI_Info_get_nthkey(info, i, key.data());
    int length = 0;
    int found = 0;
    PMPI_Info_get_valuelen(info, key.data(), &length, &found);
    std::string value(static_cast<size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.data(), length, value.data(), &found);
    value.resize(static_cast<size_t>(length));
    hints[key.data()] = value;
  }
  return hints;
}

Status info_of(const HintMap& hints, MPI_Info* info) {
  if (auto made = mpi_status(PMPI_Info_create(info), "info"); !made) {
    return made;
  }
  for (const auto& [key, value] : hints) {
    if (!value.empty() && value.size() < MPI_MAX_INFO_VAL) {
      PMPI_Info_set(*info, key.c_str(), value.c_str());
    }
  }
  return {};
}

}  // namespace longshore
