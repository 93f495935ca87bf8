// unit/cli_fake_bench.h - a machine on which launches end as a test says, for `longshore bench`.
#pragma once
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "lib/bench_host.h"
#include "lib/bench_setup.h"
#include "unit/cli_fake_system.h"

namespace longshore::cli {

inline FakeSystem bench_system() {
  FakeSystem system;
  system.add_program("/usr/bin/mpirun", "/usr/bin/mpirun", "/usr/bin/orterun");
  system.add_program("/usr/bin/mpirun.mpich", "/usr/bin/mpirun.mpich", "/usr/bin/mpiexec.hydra");
  for (const std::string tree : {"/b/openmpi", "/b/mpich"}) {
    system.files.emplace_back(tree + "/bin/longshore-workload");
    system.outputs[tree + "/bin/longshore-workload"] = R"([
      {"name": "tile", "about": "tiles", "bytes": 1000, "square": false, "dense": true,
       "sets": ["collective"]},
      {"name": "btio", "about": "cubes", "bytes": 2000, "square": true, "dense": true,
       "sets": ["collective", "independent"]},
      {"name": "sparse", "about": "holes", "bytes": 3000, "square": false, "dense": false,
       "sets": ["collective"]},
      {"name": "btio_rows", "about": "rows", "bytes": 2000, "square": true, "dense": true,
       "independent": true, "sets": ["independent"]},
      {"name": "records", "about": "few bytes", "bytes": 500, "square": false, "dense": true,
       "independent": true, "sets": ["independent"]}])";
  }
  return system;
}

// Launches take a second each and end well, unless `answer` says otherwise.
class FakeBenchHost final : public BenchHost {
 public:
  ProcessResult run(const ProcessRequest& request) override {
    launches.push_back(request);
    clock += 1;
    return answer ? answer(request) : good(request);
  }
  void prepare(const std::filesystem::path& file) override { prepared.push_back(file); }
  Status make_folder(const std::filesystem::path& folder) override {
    folders.push_back(folder);
    return {};
  }
  Status write_file(const std::filesystem::path& path, const std::string& text) override {
    written.emplace_back(path, text);
    return {};
  }
  double now() const override { return clock; }

  static std::string text_of(const ProcessRequest& request) {
    std::string text;
    for (const auto& word : request.command) {
      text += (text.empty() ? "" : " ") + word;
    }
    return text;
  }
  // "stock", "longshore" or "limit", by the command line.
  static std::string kind_of(const ProcessRequest& request) {
    const auto text = text_of(request);
    if (text.find("LD_PRELOAD") != std::string::npos) {
      return "longshore";
    }
    return text.find("--mode limit") != std::string::npos ? "limit" : "stock";
  }
  static ProcessResult good(const ProcessRequest& request) {
    ProcessResult result;
    result.output = "a launcher's remark\n{\"workload\": \"x\", \"io\": \"" +
                    std::string(kind_of(request) == "longshore" ? "longshore" : "stock") +
                    "\", \"bytes\": 4000000, \"write_seconds\": 0.5, \"read_seconds\": 0.25, "
                    "\"verified\": true, \"wrong\": \"\", \"mpi\": \"M\"}\n";
    return result;
  }

  std::function<ProcessResult(const ProcessRequest&)> answer;
  std::vector<ProcessRequest> launches;
  std::vector<std::filesystem::path> prepared;
  std::vector<std::filesystem::path> folders;
  std::vector<std::pair<std::filesystem::path, std::string>> written;
  double clock = 100;
};

}  // namespace longshore::cli
