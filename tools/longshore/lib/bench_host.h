// lib/bench_host.h - what a benchmark does to the machine, replaceable in tests.
#pragma once
#include <filesystem>
#include <string>

#include "core/result.h"
#include "lib/process.h"

namespace longshore::cli {

class BenchHost {
 public:
  virtual ~BenchHost() = default;

  // As run_process() of lib/process.h.
  [[nodiscard]] virtual ProcessResult run(const ProcessRequest& request) = 0;
  // Before each launch: `file` is removed, and what earlier launches wrote is on disk.
  virtual void prepare(const std::filesystem::path& file) = 0;
  // Makes the folder where it does not exist.
  [[nodiscard]] virtual Status make_folder(const std::filesystem::path& folder) = 0;
  // Replaces a file in one step.
  [[nodiscard]] virtual Status write_file(const std::filesystem::path& path,
                                          const std::string& text) = 0;
  // Seconds since some moment.
  [[nodiscard]] virtual double now() const = 0;
};

class RealBenchHost final : public BenchHost {
 public:
  [[nodiscard]] ProcessResult run(const ProcessRequest& request) override;
  void prepare(const std::filesystem::path& file) override;
  [[nodiscard]] Status make_folder(const std::filesystem::path& folder) override;
  [[nodiscard]] Status write_file(const std::filesystem::path& path,
                                  const std::string& text) override;
  [[nodiscard]] double now() const override;
};

// Whether write_file() can replace `path`, before there is anything to write. What is there stays
// as it is. Fails with kInvalidArgument; the detail says `option`, the path and why.
[[nodiscard]] Status check_replaceable(const std::string& option,
                                       const std::filesystem::path& path);

// The same for a file that is opened for writing where it is.
[[nodiscard]] Status check_writable(const std::string& option, const std::filesystem::path& path);

}  // namespace longshore::cli
