#include "core/error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace longshore {

ErrorClass class_of_errno(int sys_errno) {
  switch (sys_errno) {
    case 0: return ErrorClass::kOk;
    case ENOSPC: return ErrorClass::kNoSpace;
    case EDQUOT: return ErrorClass::kQuota;
    case EACCES:
    case EPERM: return ErrorClass::kAccess;
    case EROFS: return ErrorClass::kReadOnly;
    case ENOENT: return ErrorClass::kNoSuchFile;
    case EEXIST: return ErrorClass::kFileExists;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return ErrorClass::kBadFile;
    case ETXTBSY:
    case EBUSY: return ErrorClass::kFileInUse;
    case ENOMEM: return ErrorClass::kNoMemory;
    case EINVAL: return ErrorClass::kInvalidArgument;
    case EOPNOTSUPP:
    case ENOSYS: return ErrorClass::kUnsupportedOperation;
    default: return ErrorClass::kIo;
  }
}

Error errno_error(int sys_errno, std::string what) {
  std::array<char, 128> text{};
  const char* reason = strerror_r(sys_errno, text.data(), text.size());
  return {class_of_errno(sys_errno), sys_errno, std::move(what) + ": " + reason};
}

const char* name(ErrorClass code) {
  switch (code) {
    case ErrorClass::kOk: return "SUCCESS";
    case ErrorClass::kOther: return "OTHER";
    case ErrorClass::kUnsupportedOperation: return "UNSUPPORTED_OPERATION";
    case ErrorClass::kRequest: return "REQUEST";
    case ErrorClass::kInvalidArgument: return "ARG";
    case ErrorClass::kCount: return "COUNT";
    case ErrorClass::kType: return "TYPE";
    case ErrorClass::kBuffer: return "BUFFER";
    case ErrorClass::kInfo: return "INFO";
    case ErrorClass::kCommunicator: return "COMM";
    case ErrorClass::kFile: return "FILE";
    case ErrorClass::kNotSame: return "NOT_SAME";
    case ErrorClass::kAmode: return "AMODE";
    case ErrorClass::kUnsupportedDatarep: return "UNSUPPORTED_DATAREP";
    case ErrorClass::kDupDatarep: return "DUP_DATAREP";
    case ErrorClass::kConversion: return "CONVERSION";
    case ErrorClass::kTruncate: return "TRUNCATE";
    case ErrorClass::kBadFile: return "BAD_FILE";
    case ErrorClass::kFileInUse: return "FILE_IN_USE";
    case ErrorClass::kFileExists: return "FILE_EXISTS";
    case ErrorClass::kNoSuchFile: return "NO_SUCH_FILE";
    case ErrorClass::kAccess: return "ACCESS";
    case ErrorClass::kReadOnly: return "READ_ONLY";
    case ErrorClass::kNoMemory: return "NO_MEM";
    case ErrorClass::kQuota: return "QUOTA";
    case ErrorClass::kNoSpace: return "NO_SPACE";
    case ErrorClass::kIo: return "IO";
    case ErrorClass::kIntern: return "INTERN";
  }
  return "UNKNOWN";
}

}  // namespace longshore
