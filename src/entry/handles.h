// entry/handles.h - MPI_File handles and the files behind them.
//
// A handle is a genuine one of the MPI in use, opened on /dev/null for this process alone, so that
// conversion to Fortran and error handlers of every kind are the MPI's own business. Handles of
// closed files are kept and used again, because opening one may cost a millisecond.
#pragma once
#include <mpi.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "comm/mpi_communicator.h"
#include "core/result.h"
#include "datatype/decode_representation.h"
#include "entry/error_handlers.h"
#include "file/file.h"

namespace longshore {

// Owns a datatype handle of the program's: a duplicate, or a predefined type as it is.
class KeptType {
 public:
  KeptType() = default;
  explicit KeptType(MPI_Datatype type);
  ~KeptType();
  KeptType(KeptType&& other) noexcept;
  KeptType& operator=(KeptType&& other) noexcept;

  // A handle for the program to keep: it frees it if it is not predefined.
  [[nodiscard]] MPI_Datatype copy() const;

 private:
  MPI_Datatype type_ = MPI_BYTE;
  bool derived_ = false;
};

struct Transfer;

// What stands behind an open handle.
struct OpenFile {
  MPI_File handle = MPI_FILE_NULL;
  std::shared_ptr<File> file;
  std::shared_ptr<MpiCommunicator> comm;
  int amode = 0;
  Handler handler = default_handler();
  KeptType etype;
  KeptType filetype;
  MPI_Offset displacement = 0;
  std::string datarep = "native";
  std::shared_ptr<const Representation> representation;
  std::mutex split_mutex;
  std::shared_ptr<Transfer> split;  // the split collective under way
};

// What the program has left open when it ends is on storage afterwards, as far as can be, and no
// thread of ours uses MPI. Before MPI_Finalize: MPICH takes no locks any more in there.
void rescue_open_files();

// A fresh handle with the error handler of MPI_FILE_NULL. kIntern if the MPI cannot make one.
[[nodiscard]] Result<MPI_File> take_handle();
// Gives a handle back that no file uses any more.
void give_back_handle(MPI_File handle);

// The table from handles to files; any thread.
void enter(std::shared_ptr<OpenFile> file);
void leave(MPI_File handle);
// Null for a handle that is not ours.
[[nodiscard]] std::shared_ptr<OpenFile> find(MPI_File handle);
// The same for a blocking call, beside which the program may not close the file: it is there until
// the call ends. No lock for the file that a thread has used last.
[[nodiscard]] OpenFile* find_for_call(MPI_File handle);

}  // namespace longshore
