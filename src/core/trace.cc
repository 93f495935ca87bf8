#include "core/trace.h"

#include <array>
#include <cstdio>

namespace longshore {

void Trace::add(const char* name, const char* lane, int64_t begin_ns, int64_t end_ns,
                int64_t cycle) {
  const std::lock_guard lock(mutex_);
  if (events_.size() == kMostEvents) {
    ++dropped_;
    return;
  }
  events_.push_back({name, lane, begin_ns, end_ns, cycle});
}

std::string Trace::render(int rank, int64_t shift_ns) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  std::array<char, 256> line{};
  for (const auto& event : events_) {
    std::snprintf(line.data(), line.size(),
                  "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":\"%s\",\"ts\":%.3f,"
                  "\"dur\":%.3f,\"args\":{\"cycle\":%lld}},\n",
                  event.name, rank, event.lane,
                  static_cast<double>(event.begin_ns + shift_ns) / 1e3,
                  static_cast<double>(event.end_ns - event.begin_ns) / 1e3,
                  static_cast<long long>(event.cycle));
    text += line.data();
  }
  if (dropped_ > 0) {
    const auto end_us = static_cast<double>(events_.back().end_ns + shift_ns) / 1e3;
    std::snprintf(line.data(), line.size(),
                  "{\"name\":\"%lld more events are not kept\",\"ph\":\"X\",\"pid\":%d,"
                  "\"tid\":\"%s\",\"ts\":%.3f,\"dur\":0,\"args\":{}},\n",
                  static_cast<long long>(dropped_), rank, events_.back().lane, end_us);
    text += line.data();
  }
  return text;
}

}  // namespace longshore
