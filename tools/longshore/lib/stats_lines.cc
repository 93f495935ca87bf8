#include "lib/stats_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace longshore::cli {
namespace {

using Json = nlohmann::json;

struct Line {
  std::string event;
  std::string text;
  FileStats stats;
};

void add_choice(std::vector<StatsChoice>& all, const StatsChoice& one) {
  for (auto& each : all) {
    if (each.call == one.call && each.how == one.how && each.why == one.why) {
      each.calls += one.calls;
      return;
    }
  }
  all.push_back(one);
}

void add_counters(FileStats& sum, const FileStats& one) {
  for (const auto& [name, value] : one.counters) {
    sum.counters[name] += value;
  }
  for (const auto& choice : one.choices) {
    add_choice(sum.choices, choice);
  }
}

// Of a close or left_open line; what is missing stays at its default.
void take_members(const Json& object, FileStats& stats) {
  stats.striped = object.value("striped", false);
  stats.stripe_bytes = object.value("stripe_bytes", int64_t{0});
  for (const auto& [key, value] : object.items()) {
    if (value.is_number_integer()) {
      stats.counters[key] = value.get<int64_t>();
    }
  }
  if (object.contains("hints")) {
    for (const auto& [key, value] : object["hints"].items()) {
      stats.hints[key] = value.get<std::string>();
    }
  }
  if (object.contains("choices")) {
    for (const auto& each : object["choices"]) {
      stats.choices.push_back(
          {each.at("call"), each.at("how"), each.at("why"), each.at("calls").get<int64_t>()});
    }
  }
}

// False if it is not a line of the library's.
bool parse(const std::string& text, Line& line) {
  try {
    const Json object = Json::parse(text);
    line.text = text;
    line.event = object.value("event", "close");
    line.stats.file = object.at("file").get<std::string>();
    line.stats.ranks = object.value("ranks", int64_t{1});
    line.stats.hosts = object.value("hosts", int64_t{1});
    line.stats.heard = line.stats.ranks;
    take_members(object, line.stats);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

// The parts of one file's ranks, as one.
void add_left_open(const Line& line, std::vector<FileStats>& files) {
  for (auto& each : files) {
    if (each.end == FileEnd::kLeftOpen && each.file == line.stats.file && each.heard < each.ranks) {
      add_counters(each, line.stats);
      ++each.heard;
      return;
    }
  }
  files.push_back(line.stats);
  files.back().end = FileEnd::kLeftOpen;
  files.back().heard = 1;
}

// Those opens behind which no end of the file came.
void add_unheard(const std::vector<Line>& opens, StatsRun& run) {
  std::map<std::string, int64_t> ends;
  for (const auto& file : run.files) {
    ++ends[file.file];
  }
  for (const auto& open : opens) {
    if (ends[open.stats.file]-- > 0) {
      continue;
    }
    run.files.push_back(open.stats);
    run.files.back().end = FileEnd::kUnknown;
    run.files.back().heard = 0;
    run.files.back().counters.clear();
    run.kept_lines += open.text + '\n';
  }
}

}  // namespace

int64_t FileStats::get(const std::string& counter) const {
  const auto found = counters.find(counter);
  return found == counters.end() ? 0 : found->second;
}

std::string FileStats::hint(const std::string& name) const {
  const auto found = hints.find(name);
  return found == hints.end() ? "" : found->second;
}

StatsRun read_stats(const std::string& text) {
  StatsRun run;
  std::vector<Line> opens;
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    Line line;
    if (!parse(each, line)) {
      run.bad_lines += each.empty() ? 0 : 1;
      continue;
    }
    if (line.event == "open") {
      opens.push_back(std::move(line));
      continue;
    }
    run.kept_lines += each + '\n';
    if (line.event == "left_open") {
      add_left_open(line, run.files);
    } else {
      run.files.push_back(std::move(line.stats));
    }
  }
  add_unheard(opens, run);
  return run;
}

FileStats sum_of(const std::vector<FileStats>& files) {
  FileStats sum;
  for (const auto& file : files) {
    sum.ranks = std::max(sum.ranks, file.ranks);
    sum.hosts = std::max(sum.hosts, file.hosts);
    add_counters(sum, file);
  }
  return sum;
}

}  // namespace longshore::cli
