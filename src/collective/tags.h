// collective/tags.h - message tags within a file's communicator.
#pragma once

namespace longshore {

inline constexpr int kViewTag = 11;
inline constexpr int kDataTag = 12;
inline constexpr int kShareTag = 13;
inline constexpr int kCountTag = 14;
inline constexpr int kGatherTag = 15;

}  // namespace longshore
