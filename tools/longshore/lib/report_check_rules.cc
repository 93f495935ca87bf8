#include "lib/report_check_rules.h"

#include <algorithm>
#include <cstdlib>

#include "lib/report_text.h"

namespace longshore::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() || word.empty() ? "" : between) + word;
  }
  return text;
}

}  // namespace

std::string verdict_of(const CheckResult& result) {
  return result.verdict == "pass" || result.verdict == "fail" ? result.verdict : "undecided";
}

std::string rule_of(const CheckResult& result) {
  const auto text = joined({result.rule, result.name}, " ");
  return text.empty() ? "(no name)" : text;
}

std::string subject_of(const CheckResult& result) {
  const auto text = joined({result.mpi, result.mpi_io}, " ");
  return text.empty() ? "(unknown MPI-IO)" : text;
}

std::string circumstances_of(const CheckResult& result) {
  return joined({result.variant, result.operation,
                 result.bytes > 0 ? bytes_text(static_cast<double>(result.bytes)) : "",
                 result.ranks > 0 ? counted(result.ranks, "rank") : "", result.dir},
                ", ");
}

std::vector<std::string> rules_of(const std::vector<CheckResult>& results) {
  std::vector<std::string> rules;
  for (const auto& result : results) {
    rules.push_back(rule_of(result));
  }
  rules = distinct(std::move(rules));
  std::stable_sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) {
    return std::atoi(a.c_str()) < std::atoi(b.c_str());
  });
  return rules;
}

std::vector<std::string> subjects_of(const std::vector<CheckResult>& results) {
  std::vector<std::string> subjects;
  for (const auto& result : results) {
    subjects.push_back(subject_of(result));
  }
  return distinct(std::move(subjects));
}

void VerdictCounts::add(const std::string& verdict) {
  ++(verdict == "pass" ? pass : verdict == "fail" ? fail : undecided);
}

std::string VerdictCounts::text() const {
  std::vector<std::string> parts;
  const auto part = [&](int64_t count, const char* word) {
    if (count > 0) {
      parts.push_back(std::to_string(count) + " " + word);
    }
  };
  part(pass, "pass");
  part(fail, "fail");
  part(undecided, "undecided");
  return parts.empty() ? "-" : joined(parts, ", ");
}

std::string VerdictCounts::worst() const {
  return fail > 0 ? "fail" : undecided > 0 ? "undecided" : pass > 0 ? "pass" : "";
}

}  // namespace longshore::cli
