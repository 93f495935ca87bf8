#include "file/report.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace longshore {

namespace {

constexpr int kSizeTag = 21;
constexpr int kTextTag = 22;

bool given(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

void tell_stats(const std::string& path, const CounterValues& sums) {
  const std::string how = std::getenv("LONGSHORE_STATS");
  if (how.find('/') != std::string::npos) {
    std::ofstream(how, std::ios::app) << render_json(path, sums) << '\n';
  } else if (how == "json") {
    std::fprintf(stderr, "%s\n", render_json(path, sums).c_str());
  } else {
    std::fprintf(stderr, "%s", render_text(path, sums).c_str());
  }
}

void report_stats(Communicator& comm, const std::string& path, const Observer& observer) {
  CounterValues sums = observer.counters.snapshot();
  if (comm.all_sum(sums) && comm.rank() == 0) {
    tell_stats(path, sums);
  }
}

// Every rank's events, on rank 0.
std::string gather_events(Communicator& comm, const std::string& mine) {
  std::string all = mine;
  if (comm.rank() != 0) {
    const auto bytes = static_cast<int64_t>(mine.size());
    auto set = comm.messages();
    set->send(std::as_bytes(std::span(&bytes, 1)), 0, kSizeTag);
    set->send(std::as_bytes(std::span(mine)), 0, kTextTag);
    (void)set->wait();
    return all;
  }
  for (int rank = 1; rank < comm.size(); ++rank) {
    int64_t bytes = 0;
    auto set = comm.messages();
    set->receive(std::as_writable_bytes(std::span(&bytes, 1)), rank, kSizeTag);
    if (!set->wait()) {
      return all;
    }
    std::string text(static_cast<size_t>(bytes), ' ');
    set->receive(std::as_writable_bytes(std::span(text)), rank, kTextTag);
    if (!set->wait()) {
      return all;
    }
    all += text;
  }
  return all;
}

void report_trace(Communicator& comm, const std::string& path, const Observer& observer) {
  static std::atomic<int> files{0};
  const std::string events =
      gather_events(comm, observer.trace ? observer.trace->render(comm.rank()) : "");
  if (comm.rank() != 0) {
    return;
  }
  std::string target = std::getenv("LONGSHORE_TRACE");
  if (const int number = ++files; number > 1) {
    target += "." + std::to_string(number);
  }
  std::ofstream out(target);
  out << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"file\":" << json_string(path)
      << "},\"traceEvents\":[\n"
      << (events.empty() ? events : events.substr(0, events.rfind(','))) << "\n]}\n";
  if (!out) {
    std::fprintf(stderr, "longshore: cannot write the trace %s\n", target.c_str());
  }
}

}  // namespace

Reports wanted_reports() { return {given("LONGSHORE_STATS"), given("LONGSHORE_TRACE")}; }

void report(Communicator& comm, const std::string& path, const Observer& observer,
            const Reports& reports) {
  if (reports.stats) {
    report_stats(comm, path, observer);
  }
  if (reports.trace) {
    report_trace(comm, path, observer);
  }
}

}  // namespace longshore
