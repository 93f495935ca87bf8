#include "lib/check_results.h"

#include <nlohmann/json.hpp>

#include "lib/machine.h"

namespace longshore::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

ordered_json host_json() {
  const auto machine = this_machine();
  return {{"name", machine.hostname},
          {"system", machine.kernel},
          {"machine", machine.architecture},
          {"cores", machine.cores}};
}

ordered_json head_json(const CheckRecord& record) {
  return {{"mpi", std::string(name(record.mpi))},
          {"mpi_io", record.mpi_io},
          {"ranks", record.ranks},
          {"dir", record.dir},
          {"rule", record.rule},
          {"variant", record.variant},
          {"name", record.name},
          {"kind", record.kind},
          {"operation", record.operation},
          {"bytes", record.bytes}};
}

void add_judgement(const Judgement& judged, ordered_json& json) {
  if (judged.trials > 0) {
    json["ratio"] = judged.ratio;
  }
  if (judged.high > 0) {
    json["low"] = judged.low;
    json["high"] = judged.high;
  }
  json["trials"] = judged.trials;
  json["verdict"] = std::string(name(judged.verdict));
  if (judged.trials > 0) {
    json["a_seconds"] = judged.a_seconds;
    json["b_seconds"] = judged.b_seconds;
  }
}

ordered_json result_json(const CheckRecord& record) {
  auto json = head_json(record);
  if (record.wrong.empty()) {
    add_judgement(record.judged, json);
  } else {
    json["trials"] = 0;
    json["verdict"] = std::string(name(Verdict::kFail));
    json["wrong"] = record.wrong;
  }
  json["a"] = record.a;
  json["b"] = record.b;
  json["advice"] = record.advice;
  return json;
}

}  // namespace

std::string check_to_json(const CheckPlan& plan, const CheckResults& results) {
  ordered_json json = {{"kind", "check"},
                       {"version", kVersion},
                       {"host", host_json()},
                       {"tolerance", plan.tolerance},
                       {"budget_seconds", plan.budget_seconds},
                       {"results", ordered_json::array()},
                       {"skipped", ordered_json::array()},
                       {"mishaps", ordered_json::array()}};
  for (const auto& record : results.records) {
    if (record.skipped.empty()) {
      json["results"].push_back(result_json(record));
    } else {
      auto skipped = head_json(record);
      skipped["reason"] = record.skipped;
      json["skipped"].push_back(std::move(skipped));
    }
  }
  for (const auto& mishap : results.mishaps) {
    json["mishaps"].push_back({{"where", mishap.where}, {"what", mishap.what}});
  }
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace longshore::cli
