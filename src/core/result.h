// core/result.h - how fallible functions return.
#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "core/error.h"

namespace longshore {

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorClass code, std::string detail) {
  return tl::unexpected<Error>(Error{code, 0, std::move(detail)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
[[nodiscard]] inline tl::unexpected<Error> fail_errno(int sys_errno, std::string what) {
  return tl::unexpected<Error>(errno_error(sys_errno, std::move(what)));
}

// Bytes that really moved, and why no more did (error.code is kOk on success and at end of file).
// Transfers return this instead of a Result because a failed one still has a true count.
struct [[nodiscard]] Outcome {
  int64_t bytes = 0;
  Error error;

  [[nodiscard]] bool ok() const { return error.code == ErrorClass::kOk; }
};

}  // namespace longshore
