#include "core/decisions.h"

#include "core/counters.h"

namespace longshore {

std::string render_json(const std::vector<Decision>& decisions) {
  std::string out = "[";
  for (const auto& each : decisions) {
    out += out.size() > 1 ? "," : "";
    out += "{\"call\":" + json_string(each.call) + ",\"how\":" + json_string(each.how) +
           ",\"why\":" + json_string(each.why) + ",\"calls\":" + std::to_string(each.calls) + "}";
  }
  return out + "]";
}

std::vector<Decision> Decisions::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Decision> all;
  for (const auto& each : entries_) {
    all.push_back(each.decision);
  }
  if (others_ > 0) {
    all.push_back({"other calls", "in still other ways", "", others_});
  }
  return all;
}

}  // namespace longshore
