#include "lib/bench_results.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lib/bench_summary.h"
#include "lib/json_fields.h"

namespace longshore::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 5> kOutcomes = {"ok", "timeout", "skipped", "wrong",
                                                       "failed"};

RunOutcome outcome_of(const std::string& text) {
  for (size_t i = 0; i < kOutcomes.size(); ++i) {
    if (kOutcomes[i] == text) {
      return static_cast<RunOutcome>(i);
    }
  }
  return RunOutcome::kFailed;
}

ordered_json settings_of(const BenchPlan& plan) {
  ordered_json settings = {
      {"scale", plan.scale}, {"hints", plan.hints}, {"collective", !plan.independent}};
  if (plan.cold) {  // only then, so that older files can be resumed
    settings["cold"] = true;
  }
  if (!plan.launcher.empty()) {
    settings["launcher"] = plan.launcher;
  }
  return settings;
}

ordered_json machine_json(const Machine& machine, const std::vector<RunRecord>& records) {
  ordered_json json = {{"hostname", machine.hostname},
                       {"cores", machine.cores},
                       {"kernel", machine.kernel},
                       {"architecture", machine.architecture},
                       {"file_systems", ordered_json::object()},
                       {"mpi", ordered_json::object()}};
  for (const auto& [label, type] : machine.file_systems) {
    json["file_systems"][label] = type;
  }
  for (const auto& [mpi, version] : mpi_versions(records)) {
    json["mpi"][mpi] = version;
  }
  return json;
}

ordered_json to_json(const RunRecord& record) {
  return {{"workload", record.workload},
          {"ranks", record.ranks},
          {"dir", record.dir},
          {"mpi", std::string(name(record.mpi))},
          {"variant", record.variant},
          {"repetition", record.repetition},
          {"outcome", std::string(name(record.outcome))},
          {"dense", record.dense},
          {"independent", record.independent},
          {"cold", record.cold},
          {"dirty_holes", record.dirty_holes},
          {"bytes", record.bytes},
          {"write_seconds", record.write_seconds},
          {"read_seconds", record.read_seconds},
          {"detail", record.detail}};
}

RunRecord of_json(const ordered_json& json) {
  RunRecord record;
  record.workload = text_field(json, "workload");
  record.ranks = static_cast<int>(integer_field(json, "ranks"));
  record.dir = text_field(json, "dir");
  record.mpi = mpi_of_name(text_field(json, "mpi")).value_or(MpiKind::kOpenMpi);
  record.variant = text_field(json, "variant");
  record.repetition = static_cast<int>(integer_field(json, "repetition"));
  record.outcome = outcome_of(text_field(json, "outcome"));
  record.dense = flag_field(json, "dense", true);
  record.independent = flag_field(json, "independent", false);
  record.cold = flag_field(json, "cold", false);
  record.dirty_holes = flag_field(json, "dirty_holes", false);
  record.bytes = integer_field(json, "bytes");
  record.write_seconds = number_field(json, "write_seconds").value_or(0);
  record.read_seconds = number_field(json, "read_seconds").value_or(0);
  record.detail = text_field(json, "detail");
  return record;
}

ordered_json to_json(const SpeedCell& cell) {
  if (cell.runs == 0) {
    return cell.wanted ? ordered_json(std::string(name(cell.why_not))) : ordered_json();
  }
  return {{"median", cell.median}, {"min", cell.min}, {"max", cell.max}, {"runs", cell.runs}};
}

ordered_json to_json(const SummaryRow& row) {
  ordered_json json = {{"workload", row.workload},
                       {"ranks", row.ranks},
                       {"dir", row.dir},
                       {"op", row.op},
                       {"calls", row.independent ? "independent" : "collective"},
                       {"mpi", std::string(name(row.mpi))},
                       {"variant", row.variant},
                       {"stock_mb_s", to_json(row.stock)},
                       {"longshore_mb_s", to_json(row.ours)},
                       {"limit_mb_s", to_json(row.limit)}};
  if (const auto ratio = ratio_of(row.ours, row.stock)) {
    json["to_stock"] = *ratio;
  }
  if (const auto ratio = ratio_of(row.ours, row.limit)) {
    json["to_limit"] = *ratio;
  }
  return json;
}

bool is_results(const ordered_json& json) {
  return json.is_object() && integer_field(json, "version") == kVersion && json.contains("runs") &&
         json["runs"].is_array();
}

}  // namespace

std::string_view name(RunOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

std::vector<std::pair<std::string, std::string>> mpi_versions(
    const std::vector<RunRecord>& records) {
  std::vector<std::pair<std::string, std::string>> versions;
  for (const auto& record : records) {
    const std::pair one(std::string(name(record.mpi)), record.detail);
    const bool tells =
        record.outcome == RunOutcome::kOk && !record.dirty_holes && !record.detail.empty();
    if (tells && std::find(versions.begin(), versions.end(), one) == versions.end()) {
      versions.push_back(one);
    }
  }
  return versions;
}

std::string results_to_json(const BenchPlan& plan, const Machine& machine,
                            const std::vector<RunRecord>& records) {
  ordered_json json = {{"version", kVersion},
                       {"settings", settings_of(plan)},
                       {"machine", machine_json(machine, records)}};
  json["runs"] = ordered_json::array();
  for (const auto& record : records) {
    json["runs"].push_back(to_json(record));
  }
  json["summary"] = ordered_json::array();
  for (const auto& row : summarize(records)) {
    json["summary"].push_back(to_json(row));
  }
  return json.dump(1) + "\n";
}

Result<std::vector<RunRecord>> results_of_json(const std::string& text, const BenchPlan& plan,
                                               const Machine& machine) {
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!is_results(json)) {
    return fail(ErrorClass::kBadFile, "no results of `longshore bench`");
  }
  if (json.value("settings", ordered_json()) != settings_of(plan)) {
    return fail(ErrorClass::kNotSame,
                "made with other settings: " + json.value("settings", ordered_json()).dump() +
                    ", not " + settings_of(plan).dump());
  }
  const auto host = text_field(json.value("machine", ordered_json()), "hostname");
  if (!host.empty() && host != machine.hostname) {
    return fail(ErrorClass::kNotSame,
                "made on another machine: " + host + ", not " + machine.hostname);
  }
  std::vector<RunRecord> records;
  for (const auto& one : json["runs"]) {
    auto record = of_json(one);
    if (record.outcome != RunOutcome::kFailed && record.outcome != RunOutcome::kWrong) {
      records.push_back(std::move(record));
    }
  }
  return records;
}

Result<BenchLaunches> launches_of_json(const std::string& text) {
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!is_results(json)) {
    return fail(ErrorClass::kBadFile,
                "no results of `longshore bench` of a version that this command reads");
  }
  BenchLaunches launches;
  if (json.contains("settings")) {
    launches.settings = json["settings"].dump();
  }
  launches.machine = facts_field(json, "machine");
  for (const auto& one : json["runs"]) {
    launches.records.push_back(of_json(one));
  }
  return launches;
}

}  // namespace longshore::cli
