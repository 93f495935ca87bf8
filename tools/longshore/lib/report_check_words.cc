#include <algorithm>

#include "lib/report_check.h"
#include "lib/report_check_rules.h"
#include "lib/report_text.h"

namespace longshore::cli {
namespace {

using Kind = Finding::Kind;

constexpr size_t kNamed = 5;

template <typename Value>
std::vector<std::string> values_of(const CheckInput& input, Value&& value) {
  std::vector<std::string> values;
  for (const auto& result : input.results) {
    if (auto text = value(result); !text.empty()) {
      values.push_back(std::move(text));
    }
  }
  return distinct(std::move(values));
}

Finding what(const CheckInput& input) {
  const auto ranks = values_of(input, [](const CheckResult& result) {
    return result.ranks > 0 ? std::to_string(result.ranks) : "";
  });
  const auto dirs = values_of(input, [](const CheckResult& result) { return result.dir; });
  std::string text = "Checked (" + input.source +
                     "): " + counted(static_cast<int64_t>(rules_of(input.results).size()), "rule") +
                     " on " + listed(subjects_of(input.results));
  text += ranks.empty() ? "" : ", " + listed(ranks) + " ranks";
  text += dirs.empty() ? "" : ", in " + listed(dirs);
  text += "; " + counted(static_cast<int64_t>(input.results.size()), "result");
  text += input.tolerance > 0
              ? ". A rule is kept if the ratio of times is at most " + figure(1 + input.tolerance)
              : "";
  return {Kind::kLead, text + "."};
}

Finding host(const CheckInput& input) {
  if (input.host.empty()) {
    return {Kind::kUnsure, "The file of the check does not say on which machine it was made."};
  }
  return {Kind::kPlain, "The machine: " + facts_text(input.host) + "."};
}

// The worst of a rule that fails: what it is, how bad, and the advice.
Finding failure(const std::string& subject, const std::vector<const CheckResult*>& failed) {
  const auto* worst = *std::max_element(failed.begin(), failed.end(),
                                        [](const CheckResult* a, const CheckResult* b) {
                                          return a->ratio.value_or(0) < b->ratio.value_or(0);
                                        });
  std::string text = subject + " breaks rule " + rule_of(*worst) + " in " +
                     counted(static_cast<int64_t>(failed.size()), "case");
  if (worst->ratio) {
    text += "; the worst is " +
            figure_with_range(*worst->ratio, worst->low.value_or(0), worst->high.value_or(0)) +
            " times as long (" + circumstances_of(*worst) + ")";
  }
  if (!worst->wrong.empty()) {
    text += "; it was not measured, since it went wrong: " + worst->wrong + " (" +
            circumstances_of(*worst) + ")";
  }
  text +=
      worst->advice.empty() ? ". The file has no advice." : ". What would help: " + worst->advice;
  return {Kind::kBad, text};
}

void add_subject(const CheckInput& input, const std::string& subject,
                 std::vector<Finding>& findings) {
  VerdictCounts counts;
  std::vector<Finding> failures;
  for (const auto& rule : rules_of(input.results)) {
    std::vector<const CheckResult*> failed;
    for (const auto& result : input.results) {
      if (subject_of(result) != subject || rule_of(result) != rule) {
        continue;
      }
      counts.add(verdict_of(result));
      if (verdict_of(result) == "fail") {
        failed.push_back(&result);
      }
    }
    if (!failed.empty()) {
      failures.push_back(failure(subject, failed));
    }
  }
  const bool none_decided = counts.pass + counts.fail == 0;
  const auto kind = counts.fail > 0 ? Kind::kBad : none_decided ? Kind::kUnsure : Kind::kGood;
  const std::string verdict =
      counts.fail > 0 ? "breaks " + counted(static_cast<int64_t>(failures.size()), "rule")
      : none_decided  ? "has no verdict"
                      : "breaks no rule that could be decided";
  findings.push_back({kind, subject + " " + verdict + ": " + counts.text() + "."});
  findings.insert(findings.end(), failures.begin(), failures.end());
}

}  // namespace

std::vector<Finding> check_findings(const CheckInput& input) {
  std::vector<Finding> findings = {what(input), host(input)};
  for (const auto& subject : subjects_of(input.results)) {
    add_subject(input, subject, findings);
  }
  if (!input.skipped.empty()) {
    findings.push_back(
        {Kind::kUnsure, counted(static_cast<int64_t>(input.skipped.size()), "measurement") +
                            " skipped: " + listed(distinct(input.skipped), kNamed) + "."});
  }
  if (!input.mishaps.empty()) {
    findings.push_back(
        {Kind::kBad, "Launches that failed: " + listed(input.mishaps, kNamed) + "."});
  }
  return findings;
}

}  // namespace longshore::cli
