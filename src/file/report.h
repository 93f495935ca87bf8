// file/report.h - what a file's work was, told at its close if the environment asks for it.
//
//   LONGSHORE_STATS=1       a text for people on rank 0's standard error
//   LONGSHORE_STATS=json    one line of JSON there
//   LONGSHORE_STATS=PATH    the line of JSON, added to that file (a value with a slash)
//   LONGSHORE_TRACE=PATH    a timeline of all ranks in the trace-event format, for Perfetto and
//                           others; the second file of the process becomes PATH.2, and so on
#pragma once
#include <string>

#include "comm/communicator.h"
#include "core/observer.h"

namespace longshore {

struct Reports {
  bool stats = false;
  bool trace = false;
};

// What this process's environment asks for.
[[nodiscard]] Reports wanted_reports();

// Collective, with the same `reports` everywhere. Sums the counters of all ranks; a failure to
// write is told on standard error and otherwise ignored.
void report(Communicator& comm, const std::string& path, const Observer& observer,
            const Reports& reports);

}  // namespace longshore
