#include "report.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "lib/report_input.h"
#include "lib/report_page.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotWrite = 1;
constexpr int kUsageError = 2;

constexpr const char* kHelp =
    R"(Make one HTML page with charts, tables and a summary in words from results: of bench --json,
of check --json, of LONGSHORE_STATS=json or LONGSHORE_STATS=/path (lines), of LONGSHORE_TRACE, and of
tune.
Which a file is shows in its content. The page loads nothing and opens offline.

  longshore report bench.json                        makes report.html
  longshore report -o all.html check.json bench.json stats trace.json

Exit code: 0 if the page was written, 1 if it could not be, 2 if misused, or if a file is empty, cut
off, too large or of another kind (each is named, and no page is written).)";

struct ReportOptions {
  std::vector<std::string> files;
  std::string output = "report.html";
  std::string title = "Longshore report";
};

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return fail(ErrorClass::kBadFile, "is a folder");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorClass::kBadFile, std::strerror(errno));
  }
  const auto bytes = fs::file_size(path, error);
  if (!error && static_cast<int64_t>(bytes) > kMostInputBytes) {
    return fail(ErrorClass::kBadFile, "is too large (" + std::to_string(bytes >> 20) +
                                          " MiB; at most " + std::to_string(kMostInputBytes >> 20) +
                                          "): trace fewer steps, or open a large trace at "
                                          "ui.perfetto.dev");
  }
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

// All files that are no good are named, not only the first.
bool read_all(const std::vector<std::string>& files, ReportData& data) {
  bool good = true;
  for (const auto& path : files) {
    const auto text = read_file(path);
    const Status added = text ? add_report_input(path, *text, data) : fail(text.error());
    if (!added) {
      std::cerr << "longshore: " << path << ": " << added.error().detail << std::endl;
      good = false;
    }
  }
  return good;
}

bool is_input(const ReportOptions& options) {
  std::error_code ignored;
  for (const auto& path : options.files) {
    if (fs::equivalent(path, options.output, ignored)) {
      return true;
    }
  }
  return false;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

int write_page(const std::string& path, const std::string& page) {
  if (path == "-") {
    std::cout << page << std::flush;
    return std::cout ? 0 : kCannotWrite;
  }
  std::ofstream file(path, std::ios::binary);
  file << page << std::flush;
  if (!file) {
    std::cerr << "longshore: cannot write " << path << ": " << std::strerror(errno) << std::endl;
    return kCannotWrite;
  }
  std::cout << "report: " << path << " (" << (page.size() >> 10) << " KiB)" << std::endl;
  return 0;
}

int report(const ReportOptions& options) {
  if (is_input(options)) {
    std::cerr << "longshore: " << options.output << " is one of the inputs; it stays as it is"
              << std::endl;
    return kUsageError;
  }
  ReportData data;
  if (!read_all(options.files, data)) {
    return kUsageError;
  }
  return write_page(options.output, render_page(data, {options.title, now_text()}));
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", kHelp);
  command
      ->add_option("files", options->files, "what bench, check, statistics, traces or tune wrote")
      ->required();
  command->add_option("-o,--output", options->output,
                      "the page (default report.html; - for "
                      "standard output)");
  command->add_option("--title", options->title, "the page's title");
  command->callback([options] { std::exit(report(*options)); });
}

}  // namespace longshore::cli
