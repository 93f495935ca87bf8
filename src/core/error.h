// core/error.h - what can go wrong, in MPI's own classes but without mpi.h.
#pragma once
#include <cstdint>
#include <string>

namespace longshore {

// One value per MPI error class that MPI-IO may return, in rising order of precedence: when ranks
// of a collective call fail differently, all of them return the greatest. The entry layer
// translates to the numbers of the MPI in use.
enum class ErrorClass : int32_t {
  kOk = 0,
  kOther,
  kUnsupportedOperation,
  kRequest,
  kInvalidArgument,  // MPI_ERR_ARG
  kCount,
  kType,
  kBuffer,
  kInfo,
  kCommunicator,
  kFile,  // MPI_ERR_FILE: not a file handle
  kNotSame,
  kAmode,
  kUnsupportedDatarep,
  kDupDatarep,
  kConversion,
  kTruncate,
  kBadFile,
  kFileInUse,
  kFileExists,
  kNoSuchFile,
  kAccess,
  kReadOnly,
  kNoMemory,
  kQuota,
  kNoSpace,
  kIo,
  kIntern,
};

struct Error {
  ErrorClass code = ErrorClass::kOk;
  int sys_errno = 0;   // 0 if the operating system had no part in it
  std::string detail;  // for people; not agreed among ranks
};

// The class MPI users expect for an errno; kIo for what is not listed.
[[nodiscard]] ErrorClass class_of_errno(int sys_errno);

// An Error from errno, with `what` (the call or the path) in its detail.
[[nodiscard]] Error errno_error(int sys_errno, std::string what);

// The class's name without the MPI_ERR_ prefix, such as "NO_SPACE".
[[nodiscard]] const char* name(ErrorClass code);

}  // namespace longshore
