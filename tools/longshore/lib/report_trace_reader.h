// lib/report_trace_reader.h - collects the events of a trace while its JSON is parsed.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "lib/json_fields.h"
#include "lib/report_types.h"

namespace longshore::cli {

class TraceReader {
 public:
  // Takes an object that is an event, which then need not stay in memory; false for any other.
  [[nodiscard]] bool take(const Json& object);
  // What was taken, with lanes in order of ranks (numbers as numbers) and events in order of time,
  // the first at 0.
  [[nodiscard]] TraceInput finish();

 private:
  int lane_of(const Json& event);
  int name_of(const std::string& name);

  TraceInput trace_;
  std::map<std::pair<std::string, std::string>, int> lanes_;
  std::map<std::string, int> names_;
};

}  // namespace longshore::cli
