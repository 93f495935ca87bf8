// The routines on the file as a whole: sizes, pointers, consistency.
#include <mpi.h>

#include "entry/alias.h"
#include "entry/with_file.h"

namespace longshore {
namespace {

// kInvalidArgument for what is none of the three.
Result<Whence> whence_of(int whence) {
  switch (whence) {
    case MPI_SEEK_SET: return Whence::kSet;
    case MPI_SEEK_CUR: return Whence::kCurrent;
    case MPI_SEEK_END: return Whence::kEnd;
    default: return fail(ErrorClass::kInvalidArgument, "bad whence");
  }
}

}  // namespace
}  // namespace longshore

extern "C" int PMPI_File_set_size(MPI_File fh, MPI_Offset size) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) { return open.file->set_size(size); });
}
LONGSHORE_ALIAS(MPI_File_set_size);

extern "C" int PMPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) { return open.file->preallocate(size); });
}
LONGSHORE_ALIAS(MPI_File_preallocate);

extern "C" int PMPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  using namespace longshore;
  return with_file_into(fh, size, [](OpenFile& open) { return open.file->size(); });
}
LONGSHORE_ALIAS(MPI_File_get_size);

extern "C" int PMPI_File_sync(MPI_File fh) {
  using namespace longshore;
  return with_file(fh, [](OpenFile& open) { return open.file->sync(); });
}
LONGSHORE_ALIAS(MPI_File_sync);

extern "C" int PMPI_File_set_atomicity(MPI_File fh, int flag) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) { return open.file->set_atomicity(flag != 0); });
}
LONGSHORE_ALIAS(MPI_File_set_atomicity);

extern "C" int PMPI_File_get_atomicity(MPI_File fh, int* flag) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) -> Status {
    *flag = open.file->atomicity() ? 1 : 0;
    return {};
  });
}
LONGSHORE_ALIAS(MPI_File_get_atomicity);

extern "C" int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) -> Status {
    auto from = whence_of(whence);
    return from ? open.file->seek(offset, *from) : fail(from.error());
  });
}
LONGSHORE_ALIAS(MPI_File_seek);

extern "C" int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  using namespace longshore;
  return with_file(
      fh, [&](OpenFile& open) { return open.file->seek_shared(offset, whence_of(whence)); });
}
LONGSHORE_ALIAS(MPI_File_seek_shared);

extern "C" int PMPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  using namespace longshore;
  return with_file_into(fh, offset, [](OpenFile& open) { return open.file->position(); });
}
LONGSHORE_ALIAS(MPI_File_get_position);

extern "C" int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  using namespace longshore;
  return with_file_into(fh, offset, [](OpenFile& open) { return open.file->position_shared(); });
}
LONGSHORE_ALIAS(MPI_File_get_position_shared);

extern "C" int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  using namespace longshore;
  return with_file_into(fh, disp, [&](OpenFile& open) { return open.file->byte_offset(offset); });
}
LONGSHORE_ALIAS(MPI_File_get_byte_offset);
