// lib/bench_results.h - a benchmark's launches as JSON, to be kept, plotted and resumed.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "lib/bench_setup.h"
#include "lib/bench_types.h"
#include "lib/machine.h"

namespace longshore::cli {

// {"version", "settings", "machine", "runs": [one per launch], "summary": [one per row of the
// table]}.
[[nodiscard]] std::string results_to_json(const BenchPlan& plan, const Machine& machine,
                                          const std::vector<RunRecord>& records);

// The launches in the JSON of an earlier run with the same settings. Those that failed are left
// out, to be tried again. Fails with kBadFile if the text is not such JSON, with kNotSame if
// settings that change the figures (scale, hints, collective or not) differ, or if the file says
// that it comes from another host.
[[nodiscard]] Result<std::vector<RunRecord>> results_of_json(const std::string& text,
                                                             const BenchPlan& plan,
                                                             const Machine& machine);

// All launches in the JSON, those that failed too, whatever the settings (as text; empty if there
// are none) and the machine (likewise, as names and words). Missing fields have their defaults.
// Fails with kBadFile if the text is not such JSON.
struct BenchLaunches {
  std::string settings;
  std::vector<std::pair<std::string, std::string>> machine;
  std::vector<RunRecord> records;
};
[[nodiscard]] Result<BenchLaunches> launches_of_json(const std::string& text);

// What launches that ended well told of their MPI: its name and its version, each once.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> mpi_versions(
    const std::vector<RunRecord>& records);

[[nodiscard]] std::string_view name(RunOutcome outcome);

}  // namespace longshore::cli
