#include "lib/bench_progress.h"

#include <cmath>
#include <cstdio>

namespace longshore::cli {
namespace {

constexpr size_t kBarWidth = 24;
constexpr const char* kEraseLine = "\r\033[K";

std::string case_text(const RunRecord& record) {
  return record.workload + ", " + std::to_string(record.ranks) + " ranks, " + record.dir;
}

std::string bar(size_t done, size_t total) {
  const size_t filled = total == 0 ? kBarWidth : done * kBarWidth / total;
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  char text[64];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%lld s", whole);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

void BenchProgress::begin(size_t launches) {
  total_ = launches;
  start_ = now_();
}

void BenchProgress::step(const RunRecord& record) {
  show(record);
  ++steps_;
}

void BenchProgress::show(const RunRecord& record) {
  const double passed = now_() - start_;
  std::string left;
  if (made_ > 0) {
    const double each = passed / static_cast<double>(made_);
    left = ", about " + duration_text(each * static_cast<double>(total_ - steps_)) + " left";
  }
  const auto count = std::to_string(steps_) + "/" + std::to_string(total_);
  if (terminal_) {
    out_ << kEraseLine << bar(steps_, total_) << ' ' << count << "  " << case_text(record) << ", "
         << name(record.mpi) << ' ' << record.variant << left << std::flush;
  } else if (case_text(record) != last_case_) {
    out_ << "bench: " << count << "  " << case_text(record) << left << std::endl;
  }
  last_case_ = case_text(record);
}

void BenchProgress::done(const RunRecord& record) {
  ++made_;
  if (record.outcome == RunOutcome::kOk) {
    return;
  }
  const char* what = record.outcome == RunOutcome::kTimeout ? "timeout"
                     : record.outcome == RunOutcome::kWrong ? "WRONG BYTES"
                                                            : "failed";
  out_ << (terminal_ ? kEraseLine : "") << "bench: " << what << ": " << case_text(record) << ", "
       << name(record.mpi) << ' ' << record.variant << ": " << record.detail << std::endl;
}

void BenchProgress::end() {
  out_ << (terminal_ ? kEraseLine : "") << "bench: " << made_ << " launches in "
       << duration_text(now_() - start_) << std::endl;
}

}  // namespace longshore::cli
