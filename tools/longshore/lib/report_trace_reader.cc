#include "lib/report_trace_reader.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace longshore::cli {
namespace {

constexpr double kMostUs = 1e15;  // 30 years: beyond it there is no time, but a broken file

// A process or thread, which may be a number or a name.
std::string id_field(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) {
    return "";
  }
  return found->is_string() ? found->get<std::string>() : found->dump();
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Numbers in their order, before names.
std::tuple<bool, int, std::string> order_of(const std::string& rank) {
  const bool number = is_number(rank);
  return {!number, number ? std::stoi(rank) : 0, rank};
}

void sort_lanes(TraceInput& trace) {
  std::vector<int> order(trace.lanes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto& left = trace.lanes[a];
    const auto& right = trace.lanes[b];
    return std::tuple(order_of(left.rank), left.name) <
           std::tuple(order_of(right.rank), right.name);
  });
  std::vector<int> place(order.size());
  std::vector<TraceLane> lanes;
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<int>(i);
    lanes.push_back(trace.lanes[order[i]]);
  }
  trace.lanes = std::move(lanes);
  for (auto& event : trace.events) {
    event.lane = place[event.lane];
  }
}

}  // namespace

bool TraceReader::take(const Json& object) {
  const auto type = object.is_object() ? object.find("ph") : object.end();
  if (type == object.end() || !type->is_string()) {
    return false;
  }
  const auto begin = number_field(object, "ts");
  const auto duration = number_field(object, "dur");
  const bool usable = *type == "X" && begin && duration && *duration >= 0 &&
                      *duration<kMostUs&& * begin> - kMostUs && *begin < kMostUs;
  if (usable) {
    trace_.events.push_back(
        {lane_of(object), name_of(text_field(object, "name")), *begin, *duration, 1});
  } else {
    ++trace_.ignored;
  }
  return true;
}

TraceInput TraceReader::finish() {
  auto& events = trace_.events;
  sort_lanes(trace_);
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.begin_us < b.begin_us;
  });
  const double start = events.empty() ? 0 : events.front().begin_us;
  for (auto& event : events) {
    event.begin_us -= start;
  }
  return std::move(trace_);
}

int TraceReader::lane_of(const Json& event) {
  const auto key = std::pair(id_field(event, "pid"), id_field(event, "tid"));
  const auto [found, added] = lanes_.try_emplace(key, static_cast<int>(lanes_.size()));
  if (added) {
    trace_.lanes.push_back({key.first, key.second});
  }
  return found->second;
}

int TraceReader::name_of(const std::string& name) {
  const auto [found, added] = names_.try_emplace(name, static_cast<int>(names_.size()));
  if (added) {
    trace_.names.push_back(name);
  }
  return found->second;
}

}  // namespace longshore::cli
