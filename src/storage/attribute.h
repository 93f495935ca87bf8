// storage/attribute.h - what backends share on extended attributes.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "core/result.h"

namespace longshore {

// Fills `value` and returns the value's length, or -errno: ERANGE if it does not fit.
using AttributeCall = std::function<int64_t(char* value, size_t bytes)>;

// Storage::attribute() over `call`. `what` is for messages.
[[nodiscard]] Result<std::string> read_attribute(const std::string& what,
                                                 const AttributeCall& call);

// The outcome of a call that returned `result`: -errno or, on success, anything else. An attribute
// that the file or the medium does not have is kUnsupportedOperation.
[[nodiscard]] Status attribute_status(int64_t result, const std::string& what);

}  // namespace longshore
