#include "lib/timeline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

namespace longshore::cli {
namespace {

using Json = nlohmann::json;

struct Event {
  std::string name;
  std::string lane;
  std::string file;
  int64_t rank = 0;
  int64_t cycle = -1;
  double begin_us = 0;
  double duration_us = 0;
  int64_t track = 0;

  [[nodiscard]] double end_us() const { return begin_us + duration_us; }
};

std::vector<Event> read_events(const std::string& text, int64_t& bad_lines) {
  std::vector<Event> events;
  std::string file;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(',')) {
      line.pop_back();
    }
    try {
      const Json object = Json::parse(line);
      if (object.contains("file")) {
        file = object["file"].get<std::string>();
        continue;
      }
      events.push_back({object.at("name"), object.at("tid"), file, object.at("pid").get<int64_t>(),
                        object.at("args").value("cycle", int64_t{-1}),
                        object.at("ts").get<double>(), object.at("dur").get<double>(), 0});
    } catch (const Json::exception&) {
      bad_lines += line.empty() ? 0 : 1;
    }
  }
  return events;
}

// The tracks of one lane of a rank: each a stack of ends of the events that are open.
class Lane {
 public:
  // The first track in which the event follows or nests. Events come in the order of their begins,
  // longer ones first.
  size_t place(const Event& event) {
    constexpr double kRounding = 0.002;  // times have three decimals
    for (size_t i = 0; i < open_.size(); ++i) {
      auto& ends = open_[i];
      while (!ends.empty() && ends.back() <= event.begin_us + kRounding) {
        ends.pop_back();
      }
      if (ends.empty() || event.end_us() <= ends.back() + kRounding) {
        ends.push_back(event.end_us());
        return i;
      }
    }
    open_.push_back({event.end_us()});
    return open_.size() - 1;
  }

 private:
  std::vector<std::vector<double>> open_;
};

// Numbers of tracks by rank, lane and place; they begin at 1 in each rank.
using Tracks = std::map<std::pair<int64_t, std::string>, int64_t>;

Tracks assign_tracks(std::vector<Event>& events) {
  std::map<std::pair<int64_t, std::string>, Lane> lanes;
  std::map<int64_t, int64_t> last;
  Tracks tracks;
  for (auto& event : events) {
    const size_t place = lanes[{event.rank, event.lane}].place(event);
    const std::string title =
        place == 0 ? event.lane : event.lane + " " + std::to_string(place + 1);
    const auto [found, fresh] = tracks.try_emplace({event.rank, title}, 0);
    if (fresh) {
      found->second = ++last[event.rank];
    }
    event.track = found->second;
  }
  return tracks;
}

Json metadata(const char* what, int64_t rank, int64_t track, const std::string& title) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", track}, {"args", {{"name", title}}}};
}

void add_titles(const Tracks& tracks, std::string& out) {
  int64_t named = -1;
  for (const auto& [key, track] : tracks) {
    if (key.first != named) {
      named = key.first;
      out += metadata("process_name", named, 0, "rank " + std::to_string(named)).dump() + ",\n";
      out += Json{{"name", "process_sort_index"},
                  {"ph", "M"},
                  {"pid", named},
                  {"tid", 0},
                  {"args", {{"sort_index", named}}}}
                 .dump() +
             ",\n";
    }
    out += metadata("thread_name", key.first, track, key.second).dump() + ",\n";
  }
}

std::string line_of(const Event& event, double origin_us) {
  Json arguments = {{"file", event.file}};
  if (event.cycle >= 0) {
    arguments["cycle"] = event.cycle;
  }
  return Json{{"name", event.name},
              {"cat", event.lane},
              {"ph", "X"},
              {"pid", event.rank},
              {"tid", event.track},
              {"ts", event.begin_us - origin_us},
              {"dur", event.duration_us},
              {"args", std::move(arguments)}}
             .dump() +
         ",\n";
}

}  // namespace

Timeline timeline_of(const std::string& text) {
  Timeline timeline;
  auto events = read_events(text, timeline.bad_lines);
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.begin_us != b.begin_us ? a.begin_us < b.begin_us : a.duration_us > b.duration_us;
  });
  const double origin_us = events.empty() ? 0 : events.front().begin_us;
  std::string body;
  add_titles(assign_tracks(events), body);
  for (const auto& event : events) {
    body += line_of(event, origin_us);
  }
  timeline.events = static_cast<int64_t>(events.size());
  timeline.json =
      "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made by\":\"longshore run\"" +
      std::string(events.empty() ? ",\"note\":\"no file was opened, or none closed\"" : "") +
      "},\"traceEvents\":[\n" + body.substr(0, body.rfind(',')) + "\n]}\n";
  return timeline;
}

}  // namespace longshore::cli
