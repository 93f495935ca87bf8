#include "core/trace.h"

#include <array>
#include <cstdio>

namespace longshore {

void Trace::add(const char* name, const char* lane, int64_t begin_ns, int64_t end_ns,
                int64_t cycle) {
  const std::lock_guard lock(mutex_);
  events_.push_back({name, lane, begin_ns, end_ns, cycle});
}

std::string Trace::render(int rank) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  std::array<char, 256> line{};
  for (const auto& event : events_) {
    std::snprintf(line.data(), line.size(),
                  "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":\"%s\",\"ts\":%.3f,"
                  "\"dur\":%.3f,\"args\":{\"cycle\":%lld}},\n",
                  event.name, rank, event.lane, static_cast<double>(event.begin_ns) / 1e3,
                  static_cast<double>(event.end_ns - event.begin_ns) / 1e3,
                  static_cast<long long>(event.cycle));
    text += line.data();
  }
  return text;
}

}  // namespace longshore
