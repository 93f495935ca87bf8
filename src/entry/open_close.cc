// MPI_File_open, close, delete and the enquiries about how a file was opened.
#include <mpi.h>

#include <memory>
#include <string>

#include "comm/communicator_pool.h"
#include "comm/real.h"
#include "entry/alias.h"
#include "entry/handles.h"
#include "entry/info.h"
#include "entry/with_file.h"
#include "file/path.h"

namespace longshore {
namespace {

OpenMode mode_of(int amode) {
  OpenMode mode;
  mode.read_only = (amode & MPI_MODE_RDONLY) != 0;
  mode.read_write = (amode & MPI_MODE_RDWR) != 0;
  mode.write_only = (amode & MPI_MODE_WRONLY) != 0;
  mode.create = (amode & MPI_MODE_CREATE) != 0;
  mode.exclusive = (amode & MPI_MODE_EXCL) != 0;
  mode.delete_on_close = (amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  mode.unique_open = (amode & MPI_MODE_UNIQUE_OPEN) != 0;
  mode.sequential = (amode & MPI_MODE_SEQUENTIAL) != 0;
  mode.append = (amode & MPI_MODE_APPEND) != 0;
  return mode;
}

Status check_communicator(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    return fail(ErrorClass::kCommunicator, "MPI_COMM_NULL");
  }
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter == 0 ? Status{}
                    : fail(ErrorClass::kCommunicator, "files open on intracommunicators only");
}

Result<std::shared_ptr<OpenFile>> open_file(MPI_Comm program_comm, const char* path, int amode,
                                            MPI_Info info) {
  if (auto status = check_communicator(program_comm); !status) {
    return fail(status.error());
  }
  auto comm = borrow_communicator(program_comm);
  if (!comm) {
    return fail(comm.error());
  }
  auto handle = take_handle();
  auto file = File::open(*comm, path == nullptr ? "" : path, mode_of(amode), hints_of(info),
                         {threads_may_call_mpi(), handle ? Status{} : fail(handle.error())});
  if (!file) {
    if (handle) {
      give_back_handle(*handle);
    }
    return fail(file.error());
  }
  auto open = std::make_shared<OpenFile>();
  open->handle = *handle;
  open->file = std::move(*file);
  open->comm = std::move(*comm);
  open->amode = amode;
  open->representation = *find_representation("native");  // always there
  return open;
}

Status close_file(const std::shared_ptr<OpenFile>& open) {
  Status unfinished;
  if (open->split) {
    unfinished = fail(ErrorClass::kOther, "closed with a split collective under way");
  }
  const Status closed = open->file->close();
  return closed ? unfinished : closed;
}

}  // namespace
}  // namespace longshore

extern "C" int PMPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                              MPI_File* fh) {
  using namespace longshore;
  *fh = MPI_FILE_NULL;
  auto open = open_file(comm, filename, amode, info);
  if (!open) {
    return raise(MPI_FILE_NULL, open.error());
  }
  *fh = (*open)->handle;
  enter(std::move(*open));
  return MPI_SUCCESS;
}
LONGSHORE_ALIAS(MPI_File_open);

extern "C" int PMPI_File_close(MPI_File* fh) {
  using namespace longshore;
  auto open = find(*fh);
  if (!open) {
    return *fh == MPI_FILE_NULL ? raise(MPI_FILE_NULL, {ErrorClass::kFile, 0, "MPI_FILE_NULL"})
                                : LONGSHORE_REAL(PMPI_File_close)(fh);
  }
  const Status closed = close_file(open);
  const int code = answer(*fh, closed);
  leave(*fh);
  open->comm.reset();
  give_back_handle(*fh);
  *fh = MPI_FILE_NULL;
  return code;
}
LONGSHORE_ALIAS(MPI_File_close);

extern "C" int PMPI_File_delete(const char* filename, MPI_Info) {
  using namespace longshore;
  return answer(MPI_FILE_NULL, remove_file(without_prefix(filename == nullptr ? "" : filename)));
}
LONGSHORE_ALIAS(MPI_File_delete);

extern "C" int PMPI_File_get_amode(MPI_File fh, int* amode) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) -> Status {
    *amode = open.amode;
    return {};
  });
}
LONGSHORE_ALIAS(MPI_File_get_amode);

extern "C" int PMPI_File_get_group(MPI_File fh, MPI_Group* group) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) {
    return mpi_status(PMPI_Comm_group(open.comm->handle(), group), "group");
  });
}
LONGSHORE_ALIAS(MPI_File_get_group);

extern "C" int PMPI_File_set_info(MPI_File fh, MPI_Info info) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) { return open.file->set_info(hints_of(info)); });
}
LONGSHORE_ALIAS(MPI_File_set_info);

extern "C" int PMPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  using namespace longshore;
  return with_file(fh, [&](OpenFile& open) { return info_of(open.file->info(), info_used); });
}
LONGSHORE_ALIAS(MPI_File_get_info);
