#include "entry/errors.h"

#include <cstdio>
#include <cstdlib>

#include "comm/real.h"
#include "entry/handles.h"

namespace longshore {

int mpi_class(ErrorClass code) {
  switch (code) {
    case ErrorClass::kOk: return MPI_SUCCESS;
    case ErrorClass::kOther: return MPI_ERR_OTHER;
    case ErrorClass::kUnsupportedOperation: return MPI_ERR_UNSUPPORTED_OPERATION;
    case ErrorClass::kRequest: return MPI_ERR_REQUEST;
    case ErrorClass::kInvalidArgument: return MPI_ERR_ARG;
    case ErrorClass::kCount: return MPI_ERR_COUNT;
    case ErrorClass::kType: return MPI_ERR_TYPE;
    case ErrorClass::kBuffer: return MPI_ERR_BUFFER;
    case ErrorClass::kInfo: return MPI_ERR_INFO;
    case ErrorClass::kCommunicator: return MPI_ERR_COMM;
    case ErrorClass::kFile: return MPI_ERR_FILE;
    case ErrorClass::kNotSame: return MPI_ERR_NOT_SAME;
    case ErrorClass::kAmode: return MPI_ERR_AMODE;
    case ErrorClass::kUnsupportedDatarep: return MPI_ERR_UNSUPPORTED_DATAREP;
    case ErrorClass::kDupDatarep: return MPI_ERR_DUP_DATAREP;
    case ErrorClass::kConversion: return MPI_ERR_CONVERSION;
    case ErrorClass::kTruncate: return MPI_ERR_TRUNCATE;
    case ErrorClass::kBadFile: return MPI_ERR_BAD_FILE;
    case ErrorClass::kFileInUse: return MPI_ERR_FILE_IN_USE;
    case ErrorClass::kFileExists: return MPI_ERR_FILE_EXISTS;
    case ErrorClass::kNoSuchFile: return MPI_ERR_NO_SUCH_FILE;
    case ErrorClass::kAccess: return MPI_ERR_ACCESS;
    case ErrorClass::kReadOnly: return MPI_ERR_READ_ONLY;
    case ErrorClass::kNoMemory: return MPI_ERR_NO_MEM;
    case ErrorClass::kQuota: return MPI_ERR_QUOTA;
    case ErrorClass::kNoSpace: return MPI_ERR_NO_SPACE;
    case ErrorClass::kIo: return MPI_ERR_IO;
    case ErrorClass::kIntern: return MPI_ERR_INTERN;
  }
  return MPI_ERR_OTHER;
}

namespace {

enum class Treatment { kReturned, kHandled, kFatal };

// What the MPI's own handlers do with errors on the handle. Its C++ binding throws by itself what
// is returned.
Treatment treatment_of(MPI_File handle) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (LONGSHORE_REAL(PMPI_File_get_errhandler)(handle, &handler) != MPI_SUCCESS) {
    return Treatment::kReturned;
  }
  if (handler == MPI_ERRORS_RETURN) {
    return Treatment::kReturned;
  }
  bool throws = false;
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS
  throws = handler == MPIR_ERRORS_THROW_EXCEPTIONS;
#endif
  const bool fatal = handler == MPI_ERRORS_ARE_FATAL;
  LONGSHORE_REAL(PMPI_Errhandler_free)(&handler);
  return throws ? Treatment::kReturned : fatal ? Treatment::kFatal : Treatment::kHandled;
}

void tell(const Error& error) {
  std::fprintf(stderr, "longshore: %s: %s\n", name(error.code), error.detail.c_str());
}

bool verbose() { return std::getenv("LONGSHORE_VERBOSE") != nullptr; }

// The MPI ends a program without knowing why.
void call_handler_of_mpi(MPI_File handle, const Error& error) {
  const Treatment treatment = treatment_of(handle);
  if (treatment == Treatment::kFatal && !verbose()) {
    tell(error);
  }
  if (treatment != Treatment::kReturned) {
    LONGSHORE_REAL(PMPI_File_call_errhandler)(handle, mpi_class(error.code));
  }
}

}  // namespace

int raise(MPI_File handle, const Error& error) {
  const int code = mpi_class(error.code);
  if (verbose()) {
    tell(error);
  }
  if (auto open = find(handle)) {
    if (open->handler.function != nullptr) {
      return open->handler.call(handle, code);
    }
    call_handler_of_mpi(handle, error);
    return code;
  }
  if (const Handler handler = default_handler(); handler.function != nullptr) {
    return handler.call(MPI_FILE_NULL, code);
  }
  // Not every MPI takes MPI_FILE_NULL here; a fresh handle has the same error handler.
  if (auto fresh = take_handle()) {
    call_handler_of_mpi(*fresh, error);
    give_back_handle(*fresh);
  }
  return code;
}

int answer(MPI_File handle, const Status& status) {
  return status ? MPI_SUCCESS : raise(handle, status.error());
}

}  // namespace longshore
