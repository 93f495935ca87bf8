#include "lib/check_runner.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lib/launch.h"

namespace longshore::cli {
namespace {

using nlohmann::json;

constexpr int kWrongBytesCode = 1;  // of longshore-check
constexpr size_t kDetailBytes = 300;
constexpr double kTimeoutFactor = 2;
constexpr double kTimeoutSeconds =
    90;  // a trial that is under way when the budget ends is finished

std::string text_of(const CheckLaunch& one) {
  return std::string(name(one.mpi)) + " " + one.mpi_io + ", " + std::to_string(one.ranks) +
         " ranks, " + one.dir;
}

Verdict verdict_of(const std::string& text) {
  return text == name(Verdict::kPass)   ? Verdict::kPass
         : text == name(Verdict::kFail) ? Verdict::kFail
                                        : Verdict::kUndecided;
}

Judgement judgement_of(const json& line) {
  Judgement judged;
  judged.verdict = verdict_of(line.value("verdict", ""));
  judged.trials = line.value("trials", 0);
  judged.ratio = line.value("ratio", 0.0);
  judged.low = line.value("low", 0.0);
  judged.high = line.value("high", 0.0);
  judged.a_seconds = line.value("a_seconds", 0.0);
  judged.b_seconds = line.value("b_seconds", 0.0);
  return judged;
}

CheckRecord record_of(const CheckLaunch& one, const json& line) {
  CheckRecord record;
  record.mpi = one.mpi;
  record.mpi_io = one.mpi_io;
  record.ranks = one.ranks;
  record.dir = one.dir;
  record.rule = line.value("rule", "");
  record.variant = line.value("variant", "");
  record.name = line.value("name", "");
  record.kind = line.value("kind", "");
  record.operation = line.value("operation", "");
  record.bytes = line.value("bytes", int64_t{0});
  record.a = line.value("a", "");
  record.b = line.value("b", "");
  record.advice = line.value("advice", "");
  record.skipped = line.value("skipped", "");
  record.wrong = line.value("wrong", "");
  record.judged = judgement_of(line);
  return record;
}

// The program's own lines among what a launcher may print too.
struct Output {
  std::string io;  // whose MPI-IO it had; empty if it did not say
  std::vector<CheckRecord> records;
};

Output read_output(const CheckLaunch& one, const std::string& text) {
  Output output;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object()) {
      continue;
    }
    if (parsed.contains("check")) {
      output.io = parsed.value("io", "");
    } else if (parsed.contains("rule")) {
      output.records.push_back(record_of(one, parsed));
    }
  }
  return output;
}

// The end of what was said on standard error, without the lines of progress.
std::string last_words(const std::string& text) {
  std::string words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("progress ") && !line.empty()) {
      words += (words.empty() ? "" : " ") + line;
    }
  }
  return words.size() > kDetailBytes ? words.substr(words.size() - kDetailBytes) : words;
}

// What went wrong with the launch as a whole; empty if nothing did.
std::string mishap_of(const CheckLaunch& one, const ProcessResult& result, const Output& output) {
  if (result.timed_out) {
    return "killed when its time was over: a call hangs?";
  }
  if (!output.io.empty() && output.io != one.mpi_io) {
    return "ran on " + output.io + " instead of " + one.mpi_io;
  }
  if (output.io.empty() || (result.exit_code != 0 && result.exit_code != kWrongBytesCode)) {
    return "exit code " + std::to_string(result.exit_code) + ": " + last_words(result.errors);
  }
  return {};
}

}  // namespace

Result<ProcessRequest> check_command(const System& system, const CheckPlan& plan,
                                     const CheckLaunch& one) {
  ProcessRequest request;
  request.command = one.launcher;
  request.command.insert(request.command.end(),
                         {"-n", std::to_string(one.ranks), one.program.string(), "--dir",
                          one.folder.string(), "--budget", std::to_string(plan.budget_seconds)});
  request.command.insert(request.command.end(), plan.options.begin(), plan.options.end());
  request.timeout_seconds = kTimeoutFactor * plan.budget_seconds + kTimeoutSeconds;
  if (one.mpi_io == "longshore") {
    LaunchRequest launch;
    launch.command = request.command;
    launch.mpi = one.mpi;
    const auto preloaded = plan_launch(system, launch);
    if (!preloaded) {
      return fail(preloaded.error());
    }
    request.command = preloaded->command;
    request.environment = preloaded->environment;
  }
  if (one.mpi == MpiKind::kOpenMpi) {
    request.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    request.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return request;
}

Status CheckRunner::run(const CheckPlan& plan, CheckResults& results) {
  progress_.begin(plan.launches.size(), plan.budget_seconds);
  for (const auto& one : plan.launches) {
    if (auto ok = launch(plan, one, results); !ok) {
      return ok;
    }
  }
  progress_.end();
  return {};
}

Status CheckRunner::launch(const CheckPlan& plan, const CheckLaunch& one, CheckResults& results) {
  auto command = check_command(system_, plan, one);
  if (!command) {
    return fail(command.error());
  }
  if (auto ok = host_.make_folder(one.folder); !ok) {
    return ok;
  }
  progress_.launch(text_of(one));
  command->on_errors = [this](std::string_view text) { progress_.hear(text); };
  const auto result = host_.run(*command);
  host_.prepare(one.folder / "longshore-check.dat");
  std::error_code ignored;
  std::filesystem::remove(one.folder, ignored);
  if (result.interrupted) {
    return fail(ErrorClass::kOther, "interrupted");
  }
  auto output = read_output(one, result.output);
  const auto mishap = mishap_of(one, result, output);
  if (output.io == one.mpi_io) {
    results.records.insert(results.records.end(), output.records.begin(), output.records.end());
  }
  if (!mishap.empty()) {
    results.mishaps.push_back({text_of(one), mishap});
    progress_.trouble(text_of(one) + ": " + mishap);
  }
  return {};
}

}  // namespace longshore::cli
