// MPI_File_set_view and MPI_File_get_view.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "entry/alias.h"
#include "entry/info.h"
#include "entry/with_file.h"

namespace longshore {
namespace {

// A view in the making: what File needs and what MPI_File_get_view returns.
struct Wanted {
  View view;
  MPI_Offset displacement = 0;
  std::shared_ptr<const Representation> representation;
};

uint64_t hash_of(const std::string& text) {
  return std::hash<std::string>{}(text) >> 2;  // stays positive when negated
}

Status check_types(const DecodedType& etype, const DecodedType& filetype, bool writable) {
  if (etype.size_bytes <= 0) {
    return fail(ErrorClass::kType, "an etype has at least one byte");
  }
  if (filetype.size_bytes % etype.size_bytes != 0) {
    return fail(ErrorClass::kType, "a filetype is made of whole etypes");
  }
  const Pattern& pattern = filetype.pattern;
  if (!pattern.ordered() || pattern.bounds().begin < 0) {
    return fail(ErrorClass::kIo, "the displacements of a filetype must not be negative or fall");
  }
  if (writable && !pattern.monotone()) {
    return fail(ErrorClass::kIo, "a filetype must not overlap itself in a file for writing");
  }
  return {};
}

// Copies of the filetype follow each other at its extent. An MPI may give a type an extent smaller
// than what it spans (Open MPI does, where array types keep their bounds inside a struct, and HDF5
// makes such types); copies would then overlap, which MPI forbids, so only the first can be meant.
TiledPattern tiles_of(const DecodedType& filetype, MPI_Offset displacement) {
  return {displacement, std::max(filetype.extent_bytes, filetype.pattern.bounds().length()),
          filetype.pattern};
}

Result<MPI_Offset> displacement_of(OpenFile& open, MPI_Offset displacement) {
  if (displacement == MPI_DISPLACEMENT_CURRENT) {
    if (!open.file->mode().sequential) {
      return fail(ErrorClass::kInvalidArgument, "MPI_DISPLACEMENT_CURRENT is for sequential files");
    }
    auto current = open.file->shared_byte_offset();
    return current ? Result<MPI_Offset>(*current) : fail(current.error());
  }
  if (displacement < 0) {
    return fail(ErrorClass::kInvalidArgument, "a negative displacement");
  }
  if (open.file->mode().sequential) {
    return fail(ErrorClass::kInvalidArgument,
                "a sequential file takes MPI_DISPLACEMENT_CURRENT only");
  }
  return displacement;
}

Result<Wanted> want(OpenFile& open, MPI_Offset displacement, MPI_Datatype etype,
                    MPI_Datatype filetype, const char* datarep) {
  Wanted wanted;
  auto at = displacement_of(open, displacement);
  auto representation = find_representation(datarep == nullptr ? "" : datarep);
  if (!at || !representation) {
    return fail(at ? representation.error() : at.error());
  }
  auto element = (*representation)->decode_type(etype);
  auto tile = (*representation)->decode_type(filetype);
  if (!element || !tile) {
    return fail(element ? tile.error() : element.error());
  }
  if (auto status = check_types(*element, *tile, open.file->mode().writable()); !status) {
    return fail(status.error());
  }
  wanted.displacement = *at;
  wanted.representation = *representation;
  wanted.view.pattern = tiles_of(*tile, *at);
  wanted.view.etype_bytes = element->size_bytes;
  wanted.view.etype_extent = element->extent_bytes;
  wanted.view.datarep_id = hash_of(datarep);
  return wanted;
}

Status set_view(OpenFile& open, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                const char* datarep, const HintMap& hints) {
  auto wanted = want(open, displacement, etype, filetype, datarep);
  auto status =
      open.file->set_view(wanted ? Result<View>(wanted->view) : fail(wanted.error()), hints);
  if (!status) {
    return status;
  }
  open.etype = KeptType(etype);
  open.filetype = KeptType(filetype);
  open.displacement = wanted->displacement;
  open.datarep = datarep;
  open.representation = wanted->representation;
  return {};
}

}  // namespace
}  // namespace longshore

extern "C" int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                  MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) {
    return set_view(open, disp, etype, filetype, datarep, hints_of(info));
  });
}
LONGSHORE_ALIAS(MPI_File_set_view);

extern "C" int PMPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype,
                                  MPI_Datatype* filetype, char* datarep) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) -> Status {
    *disp = open.displacement;
    *etype = open.etype.copy();
    *filetype = open.filetype.copy();
    std::strcpy(datarep, open.datarep.c_str());
    return {};
  });
}
LONGSHORE_ALIAS(MPI_File_get_view);
