#include "lib/watch.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <system_error>

#include "lib/stats_lines.h"
#include "lib/stats_text.h"
#include "lib/timeline.h"

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

// Empty afterwards, and writable.
Status make_empty(const fs::path& path) {
  std::ofstream file(path, std::ios::trunc);
  return file ? Status{} : fail(ErrorClass::kAccess, path.string() + ": cannot be written");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Status write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  return file ? Status{} : fail(ErrorClass::kAccess, path.string() + ": cannot be written");
}

// A hidden file of this process's own.
Result<fs::path> hidden_file(const std::string& what) {
  const std::string name = ".longshore-" + std::to_string(getpid()) + "-" + what;
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored) / name;
  if (make_empty(here)) {
    return here;
  }
  const fs::path there = fs::temp_directory_path(ignored) / name;
  if (auto made = make_empty(there); !made) {
    return fail(made.error());
  }
  return there;
}

// The library takes a value with a slash for a path.
Result<fs::path> named_file(const std::string& name) {
  const fs::path path = fs::absolute(name);
  if (auto made = make_empty(path); !made) {
    return fail(made.error());
  }
  return path;
}

void drop(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace

Result<Watch> Watch::begin(const WatchRequest& request) {
  Watch watch;
  watch.request_ = request;
  if (!request.trace_file.empty()) {
    auto target = named_file(request.trace_file);
    if (!target) {
      return fail(target.error());
    }
    watch.request_.trace_file = target->string();
    watch.events_ = target->string() + ".events";
    if (auto made = make_empty(watch.events_); !made) {
      return fail(made.error());
    }
  }
  if (request.stats) {
    auto lines = request.stats_file.empty() ? hidden_file("stats") : named_file(request.stats_file);
    if (!lines) {
      return fail(lines.error());
    }
    watch.lines_ = *lines;
  }
  return watch;
}

std::vector<std::pair<std::string, std::string>> Watch::environment() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (request_.stats) {
    all.emplace_back("LONGSHORE_STATS", lines_.string());
    all.emplace_back("LONGSHORE_STATS_OPENS", "1");
  }
  if (!request_.trace_file.empty()) {
    all.emplace_back("LONGSHORE_TRACE_EVENTS", events_.string());
  }
  return all;
}

Status Watch::end_stats(std::ostream& out) const {
  const StatsRun run = read_stats(content_of(lines_));
  out << summary_of(run) << std::flush;
  if (request_.stats_file.empty()) {
    drop(lines_);
    return {};
  }
  return write_file(lines_, run.kept_lines);
}

Status Watch::end_trace(std::ostream& out) const {
  const Timeline timeline = timeline_of(content_of(events_));
  drop(events_);
  if (auto written = write_file(request_.trace_file, timeline.json); !written) {
    return written;
  }
  if (timeline.events == 0) {
    out << "longshore: " << request_.trace_file
        << " is empty: no file was opened through MPI-IO, or none was closed" << std::endl;
  } else {
    out << "longshore: " << timeline.events << " events in " << request_.trace_file
        << " (open it in ui.perfetto.dev or chrome://tracing)" << std::endl;
  }
  return {};
}

void Watch::discard() const {
  drop(events_);
  if (request_.stats_file.empty()) {
    drop(lines_);
  }
}

Status Watch::end(std::ostream& out) const {
  const Status stats = request_.stats ? end_stats(out) : Status{};
  const Status trace = request_.trace_file.empty() ? Status{} : end_trace(out);
  return stats ? trace : stats;
}

}  // namespace longshore::cli
