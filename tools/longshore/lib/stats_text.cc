#include "lib/stats_text.h"

#include <algorithm>
#include <array>

#include "lib/bench_text.h"
#include "lib/stats_advice.h"

namespace longshore::cli {
namespace {

constexpr size_t kMostFiles = 5;
constexpr size_t kMostChoices = 4;
constexpr size_t kPathWidth = 40;

std::string plural(int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string line(const std::string& title, const std::string& text) {
  return "  " + padded(title, 10) + text + "\n";
}

// Independent calls of a direction, however they went.
int64_t independent_calls(const FileStats& sum, const std::string& direction) {
  int64_t calls = 0;
  for (const char* way : {"_direct", "_list", "_sieve", "_pages"}) {
    calls += sum.get(direction + way);
  }
  return calls;
}

std::string direction_line(const FileStats& sum, const std::string& title,
                           const std::string& verb) {
  const int64_t together = sum.get("collective_" + verb + "s");
  const int64_t alone = independent_calls(sum, verb + "s");
  if (together + alone == 0) {
    return "";
  }
  const int64_t bytes =
      sum.get("collective_" + verb + "_bytes") + sum.get("independent_" + verb + "_bytes");
  std::string text = padded(bytes_text(bytes), 10) + " in ";
  if (together > 0) {
    text += plural(together, "collective call") + (alone > 0 ? " and " : "");
  }
  if (alone > 0) {
    text += plural(alone, "independent call");
  }
  return line(title, text + " of the ranks");
}

std::string storage_line(const FileStats& sum) {
  const int64_t calls = sum.get("storage_calls");
  const int64_t moved = sum.get("bytes_read") + sum.get("bytes_written");
  std::string text = "written " + bytes_text(sum.get("bytes_written")) + ", read " +
                     bytes_text(sum.get("bytes_read")) + ", in " + plural(calls, "call");
  if (calls > 0) {
    text += " of " + bytes_text(moved / calls);
  }
  if (sum.get("rmw_bytes") > 0) {
    text += "; read only to be written back: " + bytes_text(sum.get("rmw_bytes"));
  }
  return line("storage", text);
}

// The slowest rank's time where it is known (closed files), else the mean of those heard.
int64_t time_in_calls(const std::vector<FileStats>& files) {
  int64_t total = 0;
  for (const auto& file : files) {
    const int64_t slowest = file.get("slowest_call_ns");
    total += slowest > 0 ? slowest : file.get("call_ns") / std::max<int64_t>(1, file.heard);
  }
  return total;
}

std::string speed_line(const std::vector<FileStats>& files, const FileStats& sum) {
  const int64_t spent_ns = time_in_calls(files);
  int64_t bytes = 0;
  for (const char* name : {"collective_write_bytes", "collective_read_bytes",
                           "independent_write_bytes", "independent_read_bytes"}) {
    bytes += sum.get(name);
  }
  if (spent_ns == 0) {
    return "";
  }
  const double mb_s = static_cast<double>(bytes) * 1000 / static_cast<double>(spent_ns);
  return line("bandwidth", number(mb_s, mb_s < 10 ? 1 : 0) + " MB/s: " + bytes_text(bytes) +
                               " in " + time_text(spent_ns) +
                               " inside calls, syncs and closes (slowest rank)");
}

std::string phase_line(const FileStats& sum) {
  constexpr std::array<const char*, 3> kPhases{"plan", "exchange", "storage"};
  std::string text;
  for (const char* phase : kPhases) {
    const int64_t spent_ns = sum.get(std::string(phase) + "_ns");
    text += (text.empty() ? "" : ", ") + std::string(phase) + " " + time_text(spent_ns);
  }
  return line("phases",
              text + "; of that waiting " + time_text(sum.get("wait_ns")) + " (summed over ranks)");
}

std::string ending(const FileStats& file) {
  switch (file.end) {
    case FileEnd::kClosed: return "";
    case FileEnd::kLeftOpen:
      return "  LEFT OPEN: counters of " + std::to_string(file.heard) + " of " +
             plural(file.ranks, "rank");
    case FileEnd::kUnknown: return "  NEVER CLOSED: what it did is not known";
  }
  return "";
}

std::string file_line(const FileStats& file) {
  const int64_t wrote = file.get("collective_write_bytes") + file.get("independent_write_bytes");
  const int64_t read = file.get("collective_read_bytes") + file.get("independent_read_bytes");
  return "    " + padded(short_path(file.file), kPathWidth) + " " + right(bytes_text(wrote), 10) +
         " written " + right(bytes_text(read), 10) + " read" + ending(file) + "\n";
}

int64_t weight(const FileStats& file) {
  return file.get("call_ns") + (file.end == FileEnd::kClosed ? 0 : INT64_MAX / 2);
}

// The files that took most time, and those that were not closed, first.
std::string files_part(const std::vector<FileStats>& files) {
  std::vector<const FileStats*> order;
  for (const auto& file : files) {
    order.push_back(&file);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return weight(*a) > weight(*b); });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kMostFiles); ++i) {
    text += file_line(*order[i]);
  }
  if (order.size() > kMostFiles) {
    text += "    and " + std::to_string(order.size() - kMostFiles) +
            " more, which are in the sums (--stats=FILE keeps each)\n";
  }
  return text;
}

std::string choices_part(FileStats sum) {
  if (sum.choices.empty()) {
    return "";
  }
  std::stable_sort(sum.choices.begin(), sum.choices.end(),
                   [](const auto& a, const auto& b) { return a.calls > b.calls; });
  std::string text = "  choices\n";
  for (size_t i = 0; i < std::min(sum.choices.size(), kMostChoices); ++i) {
    const auto& each = sum.choices[i];
    text += "    " + std::to_string(each.calls) + " x " + each.call + ": " + each.how + "\n" +
            (each.why.empty() ? "" : "      because " + each.why + "\n");
  }
  if (sum.choices.size() > kMostChoices) {
    text += "    and " + std::to_string(sum.choices.size() - kMostChoices) + " more\n";
  }
  return text;
}

std::string advice_part(const std::vector<FileStats>& files) {
  const auto all = advice_for(files);
  std::string text = all.empty() ? "" : "  may help (rules of thumb)\n";
  for (const auto& each : all) {
    text += "    " + each.what + "\n      " + each.why + "\n";
  }
  return text;
}

std::string remarks(const StatsRun& run) {
  const auto count = [&](FileEnd end) {
    return std::count_if(run.files.begin(), run.files.end(),
                         [&](const auto& file) { return file.end == end; });
  };
  std::string text;
  if (const auto open = count(FileEnd::kLeftOpen); open > 0) {
    text += "  note: " + plural(open, "file") +
            " left open when the program ended: what the ranks told by then is counted\n";
  }
  if (const auto lost = count(FileEnd::kUnknown); lost > 0) {
    text += "  note: " + plural(lost, "file") +
            " never closed (did the program die?): opened is all that is known\n";
  }
  if (run.bad_lines > 0) {
    text += "  note: " + plural(run.bad_lines, "line") + " of the report could not be read\n";
  }
  return text;
}

}  // namespace

std::string bytes_text(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{" bytes", " kB", " MB", " GB", " TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return number(value, unit == 0 || value >= 100 ? 0 : 1) + kUnits[unit];
}

std::string time_text(int64_t duration_ns) {
  const double ms = static_cast<double>(duration_ns) / 1e6;
  return ms >= 1000 ? number(ms / 1000, 2) + " s" : number(ms, ms < 10 ? 2 : 1) + " ms";
}

std::string short_path(const std::string& path) {
  return path.size() <= kPathWidth ? path : "..." + path.substr(path.size() - kPathWidth + 3);
}

std::string summary_of(const StatsRun& run) {
  if (run.files.empty()) {
    return "longshore: the program opened no file through MPI-IO, or rank 0 told of it where this "
           "host does not see it\n" +
           remarks(run);
  }
  const FileStats sum = sum_of(run.files);
  const auto opens = static_cast<int64_t>(run.files.size());
  return "longshore: " + plural(opens, "file") + " opened by up to " + plural(sum.ranks, "rank") +
         " on " + plural(sum.hosts, "host") + "\n" + files_part(run.files) +
         direction_line(sum, "written", "write") + direction_line(sum, "read", "read") +
         speed_line(run.files, sum) + phase_line(sum) + storage_line(sum) + choices_part(sum) +
         advice_part(run.files) + remarks(run);
}

}  // namespace longshore::cli
