// file/report.h - what a file's work was, told at its close if the environment asks for it.
//
//   LONGSHORE_STATS=1       a text for people on rank 0's standard error
//   LONGSHORE_STATS=json    one line of JSON there
//   LONGSHORE_STATS=PATH    the line of JSON, added to that file (a value with a slash)
//   LONGSHORE_TRACE=PATH    a timeline of all ranks in the trace-event format, for Perfetto and
//                           others; the second file of the process becomes PATH.2, and so on
//
// What `longshore run` sets, beside LONGSHORE_STATS=PATH:
//   LONGSHORE_STATS_OPENS=1       a line at the open, too: a program may die before the close
//   LONGSHORE_TRACE_EVENTS=PATH   the events of all files, a line each, added to one file
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "comm/communicator.h"
#include "core/observer.h"
#include "layout/layout.h"

namespace longshore {

struct Reports {
  bool stats = false;
  bool trace = false;
};

// What this process's environment asks for.
[[nodiscard]] Reports wanted_reports();

// What is told of a file, beside what was observed.
struct FileFacts {
  std::string path;
  Layout layout;
  std::map<std::string, std::string> hints;  // in effect
  int64_t opened_ns = 0;
};

// The file is open: rank 0 says so, if asked.
void report_open(const Communicator& comm, const std::string& path);

// Collective, with the same `reports` everywhere. Sums the counters of all ranks; a failure to
// write is told on standard error and otherwise ignored.
void report(Communicator& comm, const FileFacts& facts, const Observer& observer,
            const Reports& reports);

// For a file that the program has left open: this rank's own part, without the others. Uses no MPI.
void report_left_open(const Communicator& comm, const FileFacts& facts, const Observer& observer,
                      const Reports& reports);

}  // namespace longshore
