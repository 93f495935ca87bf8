// lib/report_types.h - what `longshore report` reads, as values.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/bench_types.h"

namespace longshore::cli {

// The output of `longshore bench --json`.
struct BenchInput {
  std::string source;  // the file it was read from
  std::string settings;
  std::vector<RunRecord> records;
  std::vector<std::pair<std::string, std::string>> machine{};  // as the file has it
};

// One measurement of `longshore check`. Fields that the file does not have are empty.
struct CheckResult {
  std::string mpi;
  std::string mpi_io;  // stock or longshore
  int64_t ranks = 0;
  std::string dir;
  std::string rule;  // its number
  std::string name;
  std::string variant;  // of a rule that is measured on several patterns
  std::string operation;
  int64_t bytes = 0;
  std::optional<double> ratio;
  std::optional<double> low;  // the interval
  std::optional<double> high;
  int64_t trials = 0;
  std::string verdict;  // pass, fail or undecided
  std::optional<double> a_seconds;
  std::optional<double> b_seconds;
  std::string advice;
  std::string wrong;  // what went wrong instead of being measured
};

struct CheckInput {
  std::string source;
  std::vector<std::pair<std::string, std::string>> host;  // as the file has it
  double tolerance = 0;
  std::vector<CheckResult> results;
  std::vector<std::string> skipped;  // why, for each that was not measured
  std::vector<std::string> mishaps;
};

// What one file's calls cost: a line of LONGSHORE_STATS=json.
struct ReportedFile {
  std::string file;
  std::vector<std::pair<std::string, double>> numbers;  // in the line's order, such as plan_ns
  std::vector<std::pair<std::string, std::string>> texts;
};

struct StatsInput {
  std::string source;
  std::vector<ReportedFile> files;
  int64_t other_lines = 0;  // that were no statistics
};

struct TraceEvent {
  int lane = 0;  // index into TraceInput::lanes
  int name = 0;  // index into TraceInput::names
  double begin_us = 0;
  double duration_us = 0;
  int64_t count = 1;  // of events that it stands for
};

struct TraceLane {
  std::string rank;
  std::string name;
};

// A timeline in the trace-event format, its complete events only.
struct TraceInput {
  std::string source;
  std::string file;  // whose work it shows; empty if unknown
  std::vector<TraceLane> lanes;
  std::vector<std::string> names;
  std::vector<TraceEvent> events;
  int64_t ignored = 0;  // events of other types
};

// A constant of a site profile, with the comment behind it: "measured".
struct ProfileValue {
  std::string key;
  double value = 0;
  std::string remark;
};

struct ProfileInput {
  std::string source;
  std::vector<ProfileValue> values;
};

struct ReportData {
  std::vector<BenchInput> bench;
  std::vector<CheckInput> check;
  std::vector<StatsInput> stats;
  std::vector<TraceInput> traces;
  std::vector<ProfileInput> profiles{};
};

}  // namespace longshore::cli
