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

// Whether errors on the handle are only returned; the MPI's C++ binding throws by itself then.
bool only_returns(MPI_File handle) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (LONGSHORE_REAL(PMPI_File_get_errhandler)(handle, &handler) != MPI_SUCCESS) {
    return true;
  }
  bool returns = handler == MPI_ERRORS_RETURN;
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS
  returns = returns || handler == MPIR_ERRORS_THROW_EXCEPTIONS;
#endif
  if (handler != MPI_ERRORS_RETURN) {
    LONGSHORE_REAL(PMPI_Errhandler_free)(&handler);
  }
  return returns;
}

int call_handler(MPI_File handle, const Handler& handler, int code) {
  if (handler.function != nullptr) {
    return handler.call(handle, code);
  }
  if (!only_returns(handle)) {
    LONGSHORE_REAL(PMPI_File_call_errhandler)(handle, code);
  }
  return code;
}

}  // namespace

int raise(MPI_File handle, const Error& error) {
  const int code = mpi_class(error.code);
  if (std::getenv("LONGSHORE_VERBOSE") != nullptr) {
    std::fprintf(stderr, "longshore: %s: %s\n", name(error.code), error.detail.c_str());
  }
  if (auto open = find(handle)) {
    return call_handler(handle, open->handler, code);
  }
  if (const Handler handler = default_handler(); handler.function != nullptr) {
    return handler.call(MPI_FILE_NULL, code);
  }
  // Not every MPI takes MPI_FILE_NULL here; a fresh handle has the same error handler.
  if (auto fresh = take_handle()) {
    call_handler(*fresh, {}, code);
    give_back_handle(*fresh);
  }
  return code;
}

int answer(MPI_File handle, const Status& status) {
  return status ? MPI_SUCCESS : raise(handle, status.error());
}

}  // namespace longshore
