// collective/tags.h - message tags within a file's communicator.
#pragma once

namespace longshore {

inline constexpr int kViewTag = 11;
inline constexpr int kDataTag = 12;

}  // namespace longshore
