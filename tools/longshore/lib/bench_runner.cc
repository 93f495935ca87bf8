#include "lib/bench_runner.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/launch.h"

namespace longshore::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int kWrongBytesCode = 1;  // of longshore-workload
constexpr size_t kDetailBytes = 300;

std::filesystem::path file_of(const BenchCase& where) {
  return where.dir.path / (where.workload.name + ".dat");
}

std::string with_mpi_name(std::string word, MpiKind mpi) {
  constexpr std::string_view kPlace = "{mpi}";
  for (auto at = word.find(kPlace); at != std::string::npos; at = word.find(kPlace, at)) {
    word.replace(at, kPlace.size(), name(mpi));
  }
  return word;
}

// A launcher that was given knows its own flags.
Words given_launcher(const BenchPlan& plan, MpiKind mpi, int ranks) {
  Words words;
  for (const auto& word : plan.launcher) {
    words.push_back(with_mpi_name(word, mpi));
  }
  words.insert(words.end(), {"-n", std::to_string(ranks)});
  return words;
}

// More ranks than cores must give their core away while they wait: the same for all variants.
Words launcher_words(const BenchMpi& mpi, int ranks) {
  Words words = {mpi.mpirun.string()};
  if (mpi.mpi == MpiKind::kOpenMpi) {
    for (const char* word :
         {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"}) {
      words.emplace_back(word);
    }
  } else {
    for (const char* word : {"-genv", "MPIR_CVAR_POLLS_BEFORE_YIELD", "10"}) {
      words.emplace_back(word);
    }
  }
  words.insert(words.end(), {"-n", std::to_string(ranks)});
  return words;
}

Words program_words(const BenchMpi& mpi, const BenchPlan& plan, const BenchCase& where,
                    const Variant& variant) {
  Words words = {
      mpi.program.string(),
      where.workload.name,
      "--file",
      file_of(where).string(),
      "--bytes",
      std::to_string(static_cast<int64_t>(static_cast<double>(where.workload.bytes) * plan.scale))};
  if (plan.cold) {
    words.emplace_back("--cold");
  }
  if (variant.kind == kLimit) {
    words.insert(words.end(), {"--mode", "limit"});
    return words;
  }
  if (plan.independent) {
    words.emplace_back("--independent");
  }
  for (const auto& hints : {plan.hints, variant.sweep}) {
    for (const auto& hint : hints) {
      words.insert(words.end(), {"--hint", hint});
    }
  }
  if (plan.corrupt && variant.kind == kOurs) {
    words.emplace_back("--corrupt");
  }
  return words;
}

const BenchMpi& mpi_of(const BenchPlan& plan, MpiKind mpi) {
  return *std::find_if(plan.mpis.begin(), plan.mpis.end(),
                       [mpi](const BenchMpi& one) { return one.mpi == mpi; });
}

// The line of the workload program among what a launcher may print too.
nlohmann::json report_in(const std::string& output) {
  const auto begin = output.find("{\"workload\"");
  if (begin == std::string::npos) {
    return {};
  }
  return nlohmann::json::parse(output.substr(begin, output.find('\n', begin) - begin), nullptr,
                               false);
}

std::string tail_of(const std::string& text) {
  const auto end = text.find_last_not_of(" \n");
  const auto trimmed = end == std::string::npos ? "" : text.substr(0, end + 1);
  return trimmed.size() > kDetailBytes ? trimmed.substr(trimmed.size() - kDetailBytes) : trimmed;
}

RunRecord failed(RunRecord record, RunOutcome outcome, std::string detail) {
  record.outcome = outcome;
  record.detail = std::move(detail);
  return record;
}

// Bytes in holes, where nobody wrote, are not stock's fault by the word of MPI: its figures count,
// with a remark. They are Longshore's.
RunRecord judge(RunRecord record, const Variant& variant, const ProcessResult& result) {
  if (result.timed_out) {
    return failed(std::move(record), RunOutcome::kTimeout, "killed when its time was over");
  }
  const auto report = report_in(result.output);
  const bool readable = report.is_object();
  const bool verified = readable && report.value("verified", false);
  record.dirty_holes =
      readable && !verified && variant.kind == kStock && report.value("only_holes", false);
  if (readable && !verified && !record.dirty_holes) {
    return failed(std::move(record), RunOutcome::kWrong, report.value("wrong", "wrong bytes"));
  }
  if (!readable || (result.exit_code != 0 && !record.dirty_holes)) {
    const auto outcome =
        result.exit_code == kWrongBytesCode ? RunOutcome::kWrong : RunOutcome::kFailed;
    return failed(std::move(record), outcome,
                  "exit code " + std::to_string(result.exit_code) + ": " + tail_of(result.errors));
  }
  const auto wanted = variant.kind == kOurs ? kOurs : kStock;
  if (report.value("io", "") != wanted) {
    return failed(std::move(record), RunOutcome::kFailed,
                  "ran on " + report.value("io", "?") + " instead of " + std::string(wanted));
  }
  record.bytes = report.value("bytes", int64_t{0});
  record.write_seconds = report.value("write_seconds", 0.0);
  record.read_seconds = report.value("read_seconds", 0.0);
  record.detail = report.value(record.dirty_holes ? "wrong" : "mpi", "");
  return record;
}

bool same_series(const RunRecord& a, const RunRecord& b) {
  return a.workload == b.workload && a.mpi == b.mpi && a.variant == b.variant;
}

bool is_done(const std::vector<RunRecord>& records, const RunRecord& wanted) {
  return std::any_of(records.begin(), records.end(), [&](const RunRecord& record) {
    return same_series(record, wanted) && record.ranks == wanted.ranks &&
           record.dir == wanted.dir && record.repetition == wanted.repetition;
  });
}

bool gave_up(const std::vector<RunRecord>& records, const RunRecord& wanted) {
  return std::any_of(records.begin(), records.end(), [&](const RunRecord& record) {
    return record.outcome == RunOutcome::kTimeout && same_series(record, wanted);
  });
}

RunRecord blank_record(const BenchPlan& plan, const BenchCase& where, const Variant& variant,
                       int repetition) {
  RunRecord record;
  record.workload = where.workload.name;
  record.dense = where.workload.dense;
  record.independent = plan.independent || where.workload.independent;
  record.cold = plan.cold;
  record.ranks = where.ranks;
  record.dir = where.dir.label;
  record.mpi = variant.mpi;
  record.variant = variant.name();
  record.repetition = repetition;
  return record;
}

}  // namespace

Result<ProcessRequest> bench_command(const System& system, const BenchPlan& plan,
                                     const BenchCase& where, const Variant& variant) {
  const auto& mpi = mpi_of(plan, variant.mpi);
  ProcessRequest request;
  request.command = plan.launcher.empty() ? launcher_words(mpi, where.ranks)
                                          : given_launcher(plan, variant.mpi, where.ranks);
  const auto program = program_words(mpi, plan, where, variant);
  request.command.insert(request.command.end(), program.begin(), program.end());
  request.timeout_seconds = plan.timeout_seconds;
  if (variant.kind == kOurs) {
    LaunchRequest launch;
    launch.command = request.command;
    launch.mpi = variant.mpi;
    const auto preloaded = plan_launch(system, launch);
    if (!preloaded) {
      return fail(preloaded.error());
    }
    request.command = preloaded->command;
    request.environment = preloaded->environment;
  }
  if (variant.mpi == MpiKind::kOpenMpi) {
    request.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    request.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return request;
}

Status BenchRunner::run(const BenchPlan& plan, std::vector<RunRecord>& records,
                        const std::function<Status()>& save) {
  const auto launches =
      plan.cases.size() * plan.variants.size() * static_cast<size_t>(plan.repetitions);
  progress_.begin(launches);
  for (const auto& where : plan.cases) {
    if (auto ok = host_.make_folder(where.dir.path); !ok) {
      return ok;
    }
    if (auto ok = run_case(plan, where, records); !ok) {
      host_.prepare(file_of(where));
      return ok;
    }
    if (auto ok = save(); !ok) {
      return ok;
    }
  }
  progress_.end();
  return {};
}

Status BenchRunner::run_case(const BenchPlan& plan, const BenchCase& where,
                             std::vector<RunRecord>& records) {
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    for (size_t i = 0; i < plan.variants.size(); ++i) {
      const auto& variant =
          plan.variants[(i + static_cast<size_t>(repetition)) % plan.variants.size()];
      auto record = blank_record(plan, where, variant, repetition);
      progress_.step(record);
      if (is_done(records, record)) {
        continue;
      }
      if (gave_up(records, record)) {
        records.push_back(
            failed(std::move(record), RunOutcome::kSkipped, "an earlier launch took too long"));
        continue;
      }
      auto done = launch(plan, where, variant);
      if (!done) {
        return fail(done.error());
      }
      done->repetition = repetition;
      progress_.done(*done);
      records.push_back(std::move(*done));
    }
  }
  return {};
}

Result<RunRecord> BenchRunner::launch(const BenchPlan& plan, const BenchCase& where,
                                      const Variant& variant) {
  const auto command = bench_command(system_, plan, where, variant);
  if (!command) {
    return fail(command.error());
  }
  host_.prepare(file_of(where));
  const auto result = host_.run(*command);
  if (result.interrupted) {
    return fail(ErrorClass::kOther, "interrupted");
  }
  auto record = judge(blank_record(plan, where, variant, 0), variant, result);
  if (record.outcome != RunOutcome::kOk) {
    host_.prepare(file_of(where));
  }
  return record;
}

}  // namespace longshore::cli
