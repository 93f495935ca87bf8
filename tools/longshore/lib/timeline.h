// lib/timeline.h - the events of all files and ranks as one timeline in the trace-event format.
//
// In that format a process has tracks, and the events of a track may nest but not overlap
// otherwise. A rank is a process. Events of a lane ("engine", "storage", "calls") that overlap, of
// two files say, get tracks of their own: engine, engine 2, ...
#pragma once
#include <cstdint>
#include <string>

namespace longshore::cli {

struct Timeline {
  std::string json;  // a whole document, also if there are no events
  int64_t events = 0;
  int64_t bad_lines = 0;
};

// `text` is what the library wrote for LONGSHORE_TRACE_EVENTS: blocks of lines, the first with the
// file's name, the others an event each. Times begin at the first event.
[[nodiscard]] Timeline timeline_of(const std::string& text);

}  // namespace longshore::cli
