#include "lib/report_input.h"

#include <algorithm>
#include <string_view>

#include "lib/bench_results.h"
#include "lib/report_profile.h"
#include "lib/report_trace_reader.h"

namespace longshore::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kStatsStart = "{\"file\":";
constexpr size_t kShownKeys = 6;

tl::unexpected<Error> bad(std::string why) { return fail(ErrorClass::kBadFile, std::move(why)); }

// A whole document, without the trace events in it, which `reader` takes. On failure, in bytes from
// 1 on, where it is no JSON.
struct Parsed {
  Json json;
  bool ok = false;
  size_t byte = 0;
};

Parsed parse(const std::string& text, TraceReader& reader) {
  Parsed parsed;
  const auto keep = [&](int, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::object_end || !reader.take(value);
  };
  try {
    parsed.json = Json::parse(text, keep);
    parsed.ok = true;
  } catch (const Json::parse_error& error) {
    parsed.byte = error.byte;
  } catch (const Json::exception&) {  // a number beyond all bounds
    parsed.byte = 1;
  }
  return parsed;
}

// --- statistics

bool is_time(const std::string& key) { return key.ends_with("_ns"); }

bool is_stats(const Json& json) {
  if (!json.is_object() || !json.contains("file")) {
    return false;
  }
  return std::any_of(json.items().begin(), json.items().end(),
                     [](const auto& item) { return is_time(item.key()); });
}

ReportedFile stats_of(const Json& json) {
  ReportedFile stats;
  stats.file = text_field(json, "file");
  for (const auto& item : json.items()) {
    if (item.value().is_number()) {
      stats.numbers.emplace_back(item.key(), item.value().get<double>());
    } else if (item.key() != "file" && !item.value().empty()) {
      stats.texts.emplace_back(item.key(), plain(item.value()));
    }
  }
  return stats;
}

// Lines of statistics among others.
Result<StatsInput> read_stats(const std::string& text) {
  StatsInput stats;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(kBlanks) == std::string::npos) {
      continue;
    }
    if (!line.starts_with(kStatsStart)) {
      ++stats.other_lines;
      continue;
    }
    const auto json = Json::parse(line, nullptr, false);
    if (!is_stats(json)) {
      return bad("line " + std::to_string(number) +
                 " begins as statistics but is not complete: was it cut off?");
    }
    stats.files.push_back(stats_of(json));
  }
  return stats;
}

bool has_stats_lines(const std::string& text) {
  return text.starts_with(kStatsStart) ||
         text.find("\n" + std::string(kStatsStart)) != std::string::npos;
}

// --- check

CheckResult check_result_of(const Json& json) {
  CheckResult result;
  result.mpi = text_field(json, "mpi");
  result.mpi_io = text_field(json, "mpi_io");
  result.ranks = integer_field(json, "ranks");
  result.dir = text_field(json, "dir");
  result.rule = json.contains("rule") ? plain(json["rule"]) : "";
  result.name = text_field(json, "name");
  result.variant = text_field(json, "variant");
  result.operation = text_field(json, "operation");
  result.bytes = integer_field(json, "bytes");
  result.ratio = number_field(json, "ratio");
  result.low = number_field(json, "low");
  result.high = number_field(json, "high");
  result.trials = integer_field(json, "trials");
  result.verdict = text_field(json, "verdict");
  result.a_seconds = number_field(json, "a_seconds");
  result.b_seconds = number_field(json, "b_seconds");
  result.advice = text_field(json, "advice");
  result.wrong = text_field(json, "wrong");
  return result;
}

bool is_check(const Json& json) {
  if (!json.contains("results") || !json["results"].is_array()) {
    return false;
  }
  const auto& results = json["results"];
  return text_field(json, "kind") == "check" ||
         (!results.empty() && results.front().is_object() && results.front().contains("verdict"));
}

CheckInput check_of(const Json& json) {
  CheckInput check;
  check.tolerance = number_field(json, "tolerance").value_or(0);
  check.host = facts_field(json, "host");
  if (json.contains("skipped") && json["skipped"].is_array()) {
    for (const auto& one : json["skipped"]) {
      check.skipped.push_back(text_field(one, "reason"));
    }
  }
  if (json.contains("mishaps") && json["mishaps"].is_array()) {
    for (const auto& one : json["mishaps"]) {
      check.mishaps.push_back(text_field(one, "where") + ": " + text_field(one, "what"));
    }
  }
  for (const auto& one : json["results"]) {
    if (one.is_object()) {
      check.results.push_back(check_result_of(one));
    }
  }
  return check;
}

// --- which it is

std::string position(const std::string& text, size_t byte) {
  const size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(end), '\n');
  return "line " + std::to_string(line) + ", byte " + std::to_string(end + 1);
}

tl::unexpected<Error> not_json(const std::string& text, size_t byte) {
  const char first = text[text.find_first_not_of(kBlanks)];
  if (first != '{' && first != '[') {
    return bad(
        "no JSON: wanted is what bench --json, check --json, LONGSHORE_STATS=json, "
        "LONGSHORE_TRACE or tune wrote");
  }
  const size_t last = text.find_last_not_of(kBlanks) + 1;
  if (byte > last) {
    return bad("its JSON ends too early, after " + std::to_string(last) +
               " bytes: was it cut off, or is it still being written?");
  }
  return bad("no JSON: it goes wrong at " + position(text, byte));
}

tl::unexpected<Error> other_kind(const Json& json) {
  std::string keys;
  size_t shown = 0;
  if (json.is_object()) {
    for (const auto& item : json.items()) {
      if (shown++ < kShownKeys) {
        keys += (keys.empty() ? "" : ", ") + item.key();
      }
    }
  }
  return bad("JSON of another kind" + (keys.empty() ? "" : " (it has " + keys + ")") +
             ": neither results of bench or check, nor statistics, nor a trace");
}

Status add_trace(TraceReader& reader, const Json& json, const std::string& source,
                 ReportData& data) {
  auto trace = reader.finish();
  trace.source = source;
  if (json.is_object() && json.contains("otherData")) {
    trace.file = text_field(json["otherData"], "file");
  }
  if (trace.events.empty()) {
    return bad("a trace without any complete event (ph X with ts and dur)");
  }
  data.traces.push_back(std::move(trace));
  return {};
}

Status add_bench(const std::string& source, const std::string& text, ReportData& data) {
  auto launches = launches_of_json(text);
  if (!launches) {
    return fail(launches.error());
  }
  if (launches->records.empty()) {
    return bad("results of bench without any launch");
  }
  data.bench.push_back({source, std::move(launches->settings), std::move(launches->records),
                        std::move(launches->machine)});
  return {};
}

Status add_check(const std::string& source, const Json& json, ReportData& data) {
  auto check = check_of(json);
  if (check.results.empty()) {
    return bad("results of check without any measurement");
  }
  check.source = source;
  data.check.push_back(std::move(check));
  return {};
}

Status add_stats_lines(const std::string& source, const std::string& text, ReportData& data) {
  auto stats = read_stats(text);
  if (!stats) {
    return fail(stats.error());
  }
  stats->source = source;
  data.stats.push_back(std::move(*stats));
  return {};
}

Status add_profile(const std::string& source, const std::string& text, ReportData& data) {
  auto profile = read_profile(text);
  if (!profile) {
    return bad(profile.error().detail);
  }
  profile->source = source;
  data.profiles.push_back(std::move(*profile));
  return {};
}

Status add_what_is_no_json(const std::string& source, const std::string& text, size_t byte,
                           ReportData& data) {
  if (has_stats_lines(text)) {
    return add_stats_lines(source, text, data);
  }
  return is_profile(text) ? add_profile(source, text, data) : Status(not_json(text, byte));
}

}  // namespace

Status add_report_input(const std::string& source, const std::string& text, ReportData& data) {
  if (text.find_first_not_of(kBlanks) == std::string::npos) {
    return bad("is empty");
  }
  if (static_cast<int64_t>(text.size()) > kMostInputBytes) {
    return bad("is too large: at most " + std::to_string(kMostInputBytes >> 20) +
               " MiB; trace fewer steps, or open a large trace at ui.perfetto.dev");
  }
  TraceReader reader;
  const auto parsed = parse(text, reader);
  if (!parsed.ok) {
    return add_what_is_no_json(source, text, parsed.byte, data);
  }
  const Json& json = parsed.json;
  if (json.is_array() || json.contains("traceEvents")) {
    return add_trace(reader, json, source, data);
  }
  if (is_stats(json)) {
    data.stats.push_back({source, {stats_of(json)}, 0});
    return {};
  }
  if (is_check(json)) {
    return add_check(source, json, data);
  }
  return json.contains("runs") ? add_bench(source, text, data) : Status(other_kind(json));
}

}  // namespace longshore::cli
