// datatype/decode_external32.h - the representation external32. For decode_representation only.
#pragma once
#include <memory>

#include "datatype/decode_representation.h"

namespace longshore {

[[nodiscard]] std::shared_ptr<const Representation> make_external32();

}  // namespace longshore
