#include "file/report.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "advise/describe.h"

namespace longshore {

namespace {

constexpr int kSizeTag = 21;
constexpr int kTextTag = 22;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || std::strcmp(value, "0") == 0 ? "" : value;
}

bool is_path(const std::string& value) { return value.find('/') != std::string::npos; }

// In one call as far as the system takes it: other processes add to the same file.
void append(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  size_t done = 0;
  while (file >= 0 && done < text.size()) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) {
      break;
    }
    done += static_cast<size_t>(wrote);
  }
  if (file < 0 || close(file) != 0 || done < text.size()) {
    std::fprintf(stderr, "longshore: cannot write the report %s\n", path.c_str());
  }
}

std::string json_of(const std::map<std::string, std::string>& pairs) {
  std::string out = "{";
  for (const auto& [key, value] : pairs) {
    out += (out.size() > 1 ? "," : "") + json_string(key) + ":" + json_string(value);
  }
  return out + "}";
}

std::vector<Decision> all_decisions(const Observer& observer, const CounterValues& values) {
  auto all = observer.decisions.list();
  for (auto& each : independent_decisions(values)) {
    all.push_back(std::move(each));
  }
  return all;
}

// The members of the JSON object behind the counters.
std::string more_members(const Communicator& comm, const FileFacts& facts, const Observer& observer,
                         const CounterValues& values) {
  const auto member = [](const char* name, int64_t value) {
    return std::string(",\"") + name + "\":" + std::to_string(value);
  };
  return member("ranks", comm.size()) + member("hosts", comm.nodes().nodes()) +
         member("open_ns", observer.clock.now_ns() - facts.opened_ns) +
         member("stripe_bytes", facts.layout.stripe_bytes) +
         member("targets", facts.layout.targets) +
         ",\"striped\":" + (facts.layout.striped ? "true" : "false") +
         ",\"hints\":" + json_of(facts.hints) +
         ",\"choices\":" + render_json(all_decisions(observer, values));
}

std::string text_of(const FileFacts& facts, const Observer& observer, const CounterValues& values) {
  std::string text = render_text(facts.path, values);
  for (const auto& each : all_decisions(observer, values)) {
    text += "  " + std::to_string(each.calls) + " x " + each.call + ": " + each.how + " (" +
            each.why + ")\n";
  }
  return text;
}

void tell_stats(const Communicator& comm, const FileFacts& facts, const Observer& observer,
                const CounterValues& values, const std::string& more) {
  const std::string how = variable("LONGSHORE_STATS");
  const std::string all = more_members(comm, facts, observer, values) + more;
  if (is_path(how)) {
    append(how, render_json(facts.path, values, all) + '\n');
  } else if (how == "json") {
    std::fprintf(stderr, "%s\n", render_json(facts.path, values, all).c_str());
  } else {
    std::fprintf(stderr, "%s", text_of(facts, observer, values).c_str());
  }
}

void report_stats(Communicator& comm, const FileFacts& facts, const Observer& observer) {
  CounterValues sums = observer.counters.snapshot();
  std::array<int64_t, 1> slowest{observer.counters.get(Counter::kCallNs)};
  if (comm.all_max_and_sum(slowest, sums) && comm.rank() == 0) {
    tell_stats(comm, facts, observer, sums,
               ",\"slowest_call_ns\":" + std::to_string(slowest[0]) + ",\"event\":\"close\"");
  }
}

// What to add to this rank's times so that they are rank 0's. Hosts count from different begins;
// they read their clocks behind a barrier, so the error is about that of a barrier.
int64_t shift_ns(Communicator& comm, Clock& clock) {
  if (comm.nodes().nodes() == 1 || !comm.barrier()) {
    return 0;
  }
  const int64_t own = clock.now_ns();
  int64_t first = own;
  if (!comm.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0)) {
    return 0;
  }
  return first - own;
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

// A block of lines: the file, then its events.
void append_events(const std::string& path, const std::string& events) {
  append(variable("LONGSHORE_TRACE_EVENTS"), "{\"file\":" + json_string(path) + "}\n" + events);
}

void write_timeline(const std::string& path, const std::string& events) {
  static std::atomic<int> files{0};
  std::string target = variable("LONGSHORE_TRACE");
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

void report_trace(Communicator& comm, const std::string& path, const Observer& observer) {
  const int64_t shift = shift_ns(comm, observer.clock);
  const std::string events =
      gather_events(comm, observer.trace ? observer.trace->render(comm.world_rank(), shift) : "");
  if (comm.rank() != 0) {
    return;
  }
  if (!variable("LONGSHORE_TRACE").empty()) {
    write_timeline(path, events);
  }
  if (!variable("LONGSHORE_TRACE_EVENTS").empty()) {
    append_events(path, events);
  }
}

}  // namespace

Reports wanted_reports() {
  return {!variable("LONGSHORE_STATS").empty(),
          !variable("LONGSHORE_TRACE").empty() || !variable("LONGSHORE_TRACE_EVENTS").empty()};
}

void report_open(const Communicator& comm, const std::string& path) {
  const std::string target = variable("LONGSHORE_STATS");
  if (comm.rank() == 0 && is_path(target) && !variable("LONGSHORE_STATS_OPENS").empty()) {
    append(target, "{\"event\":\"open\",\"file\":" + json_string(path) +
                       ",\"ranks\":" + std::to_string(comm.size()) +
                       ",\"hosts\":" + std::to_string(comm.nodes().nodes()) + "}\n");
  }
}

void report(Communicator& comm, const FileFacts& facts, const Observer& observer,
            const Reports& reports) {
  if (reports.stats) {
    report_stats(comm, facts, observer);
  }
  if (reports.trace) {
    report_trace(comm, facts.path, observer);
  }
}

void report_left_open(const Communicator& comm, const FileFacts& facts, const Observer& observer,
                      const Reports& reports) {
  const bool lines = is_path(variable("LONGSHORE_STATS"));
  if (reports.stats && (lines || comm.rank() == 0)) {
    tell_stats(comm, facts, observer, observer.counters.snapshot(),
               ",\"rank\":" + std::to_string(comm.rank()) + ",\"event\":\"left_open\"");
  }
  if (reports.trace && observer.trace && !variable("LONGSHORE_TRACE_EVENTS").empty()) {
    append_events(facts.path, observer.trace->render(comm.world_rank()));
  }
}

}  // namespace longshore
