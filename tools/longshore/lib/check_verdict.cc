#include "lib/check_verdict.h"

#include <algorithm>
#include <cmath>

namespace longshore::cli {
namespace {

constexpr double kHalf = 0.5;

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How likely each sum of ranks is if each of the ranks 1..n counts with probability 1/2.
std::vector<double> rank_sum_distribution(size_t n) {
  std::vector<double> likely(n * (n + 1) / 2 + 1, 0.0);
  likely[0] = 1;
  size_t greatest = 0;
  for (size_t rank = 1; rank <= n; ++rank) {
    greatest += rank;
    for (size_t sum = greatest + 1; sum-- > 0;) {
      likely[sum] = kHalf * (likely[sum] + (sum >= rank ? likely[sum - rank] : 0));
    }
  }
  return likely;
}

// The greatest c with P(sum of ranks < c) <= error: that many Walsh averages less one are cut off.
size_t critical_sum(size_t n, double error) {
  const auto likely = rank_sum_distribution(n);
  double below = 0;
  size_t sum = 0;
  while (sum < likely.size() && below + likely[sum] <= error) {
    below += likely[sum];
    ++sum;
  }
  return sum;
}

std::vector<double> walsh_averages(const std::vector<double>& values) {
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) {
      means.push_back(kHalf * (values[i] + values[j]));
    }
  }
  std::sort(means.begin(), means.end());
  return means;
}

double centre_of(const std::vector<double>& means) {
  return kHalf * (means[(means.size() - 1) / 2] + means[means.size() / 2]);
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return "pass";
    case Verdict::kFail: return "fail";
    default: return "undecided";
  }
}

const std::vector<int>& look_schedule() {
  static const std::vector<int> schedule = {8, 12, 18, 27, 40, 60, 90, 135, 200};
  return schedule;
}

Interval signed_rank_interval(const std::vector<double>& values, double error_per_side) {
  const auto means = walsh_averages(values);
  const size_t cut = critical_sum(values.size(), error_per_side);
  const size_t low = std::min(cut > 0 ? cut - 1 : 0, means.size() / 2);
  return {means[low], centre_of(means), means[means.size() - 1 - low]};
}

void PairedJudge::add(double a_seconds, double b_seconds) {
  if (done()) {
    return;
  }
  a_.push_back(a_seconds);
  b_.push_back(b_seconds);
  logs_.push_back(std::log(a_seconds / b_seconds));
  if (trials_to_next_look() == 0) {
    look();
  }
}

int PairedJudge::trials_to_next_look() const {
  const auto& schedule = look_schedule();
  if (done() || static_cast<size_t>(looks_) >= schedule.size()) {
    return 0;
  }
  return schedule[static_cast<size_t>(looks_)] - static_cast<int>(logs_.size());
}

void PairedJudge::look() {
  ++looks_;
  const double error = rules_.error / (looks_ * (looks_ + 1.0));
  const auto interval = signed_rank_interval(logs_, error);
  state_.low = std::exp(interval.low);
  state_.high = std::exp(interval.high);
  const double limit = 1 + rules_.tolerance;
  if (state_.low > limit) {
    state_.verdict = Verdict::kFail;
  } else if (state_.high <= limit) {
    state_.verdict = Verdict::kPass;
  }
  exhausted_ = static_cast<size_t>(looks_) == look_schedule().size();
}

Judgement PairedJudge::judgement() const {
  Judgement all = state_;
  all.trials = static_cast<int>(logs_.size());
  all.a_seconds = median(a_);
  all.b_seconds = median(b_);
  if (!logs_.empty()) {
    all.ratio = std::exp(centre_of(walsh_averages(logs_)));
  }
  return all;
}

}  // namespace longshore::cli
