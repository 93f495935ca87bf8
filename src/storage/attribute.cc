#include "storage/attribute.h"

#include <cerrno>
#include <utility>

namespace longshore {

namespace {

constexpr size_t kUsualBytes = 256;
constexpr size_t kMostBytes = 65536;  // XATTR_SIZE_MAX

}  // namespace

Status attribute_status(int64_t result, const std::string& what) {
  if (result >= 0) {
    return {};
  }
  const int reason = static_cast<int>(-result);
  Error error = errno_error(reason, "attribute " + what);
  if (reason == ENODATA) {
    error.code = ErrorClass::kUnsupportedOperation;
  }
  return fail(std::move(error));
}

Result<std::string> read_attribute(const std::string& what, const AttributeCall& call) {
  std::string value(kUsualBytes, '\0');
  int64_t result = call(value.data(), value.size());
  if (result == -ERANGE) {
    value.resize(kMostBytes);
    result = call(value.data(), value.size());
  }
  if (auto status = attribute_status(result, what); !status) {
    return fail(status.error());
  }
  value.resize(static_cast<size_t>(result));
  return value;
}

}  // namespace longshore
