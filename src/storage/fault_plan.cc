#include "storage/fault_plan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <utility>

namespace longshore {

namespace {

using NamedOp = std::pair<std::string_view, FaultOp>;
constexpr std::array kOps = {
    NamedOp{"open", FaultOp::kOpen},         NamedOp{"read", FaultOp::kRead},
    NamedOp{"write", FaultOp::kWrite},       NamedOp{"resize", FaultOp::kResize},
    NamedOp{"allocate", FaultOp::kAllocate}, NamedOp{"sync", FaultOp::kSync},
    NamedOp{"lock", FaultOp::kLock},         NamedOp{"size", FaultOp::kSize},
    NamedOp{"close", FaultOp::kClose},       NamedOp{"any", FaultOp::kAny},
};

using NamedErrno = std::pair<std::string_view, int>;
constexpr std::array kErrnos = {
    NamedErrno{"EIO", EIO},
    NamedErrno{"ENOSPC", ENOSPC},
    NamedErrno{"EDQUOT", EDQUOT},
    NamedErrno{"EACCES", EACCES},
    NamedErrno{"EPERM", EPERM},
    NamedErrno{"EROFS", EROFS},
    NamedErrno{"ENOENT", ENOENT},
    NamedErrno{"EEXIST", EEXIST},
    NamedErrno{"EISDIR", EISDIR},
    NamedErrno{"EBUSY", EBUSY},
    NamedErrno{"ENOMEM", ENOMEM},
    NamedErrno{"EINVAL", EINVAL},
    NamedErrno{"EFBIG", EFBIG},
    NamedErrno{"ESTALE", ESTALE},
    NamedErrno{"ENOLCK", ENOLCK},
    NamedErrno{"ENOSYS", ENOSYS},
    NamedErrno{"EOPNOTSUPP", EOPNOTSUPP},
    NamedErrno{"ENOTSUP", ENOTSUP},
    NamedErrno{"EBADF", EBADF},
    NamedErrno{"ETIMEDOUT", ETIMEDOUT},
    NamedErrno{"ENXIO", ENXIO},
    NamedErrno{"ENODEV", ENODEV},
};

template <typename Table>
auto find_name(const Table& table, std::string_view wanted) {
  using Value = decltype(table[0].second);
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.first == wanted; });
  return found == table.end() ? std::nullopt : std::optional<Value>(found->second);
}

// Cuts the text up to `separator` off its front.
std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<int> parse_int(std::string_view text) {
  const std::optional<int64_t> value = parse_number(text);
  const bool fits = value && *value <= std::numeric_limits<int>::max();
  return fits ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

template <typename Target, typename Value>
bool assign(Target& target, const std::optional<Value>& value) {
  if (value) {
    target = *value;
  }
  return value.has_value();
}

bool apply_errno(FaultRule& rule, std::string_view value) {
  const std::optional<int> named = find_name(kErrnos, value);
  return assign(rule.sys_errno, named ? named : parse_int(value));
}

bool apply(FaultRule& rule, std::string_view key, std::string_view value) {
  if (key == "after") {
    return assign(rule.after, parse_number(value));
  }
  if (key == "count") {
    return assign(rule.count, parse_number(value));
  }
  if (key == "errno") {
    return apply_errno(rule, value);
  }
  if (key == "keep") {
    return assign(rule.keep_bytes, parse_number(value));
  }
  if (key == "offset") {
    return assign(rule.from_offset, parse_number(value));
  }
  if (key == "delay_ms") {
    return assign(rule.delay_ms, parse_number(value));
  }
  if (key == "flip") {
    return assign(rule.flip_byte, parse_number(value));
  }
  if (key == "rank") {
    return assign(rule.rank, parse_int(value));
  }
  rule.path_part = value;
  return key == "path" && !value.empty();
}

Result<FaultRule> parse_rule(std::string_view text) {
  FaultRule rule;
  const std::string_view op_name = take_until(text, ':');
  if (!assign(rule.op, find_name(kOps, op_name))) {
    return fail(ErrorClass::kInvalidArgument, "unknown operation: " + std::string(op_name));
  }
  bool errno_given = false;
  while (!text.empty()) {
    const std::string setting(take_until(text, ':'));
    std::string_view value = setting;
    const std::string_view key = take_until(value, '=');
    if (!apply(rule, key, value)) {
      return fail(ErrorClass::kInvalidArgument, "bad fault setting: " + setting);
    }
    errno_given = errno_given || key == "errno";
  }
  if (!errno_given && rule.delay_ms == 0 && !rule.flip_byte) {
    rule.sys_errno = EIO;
  }
  return rule;
}

}  // namespace

FaultPlan FaultPlan::select(int rank, std::string_view path) const {
  FaultPlan chosen;
  for (const FaultRule& rule : rules) {
    const bool here = !rule.rank || *rule.rank == rank;
    if (here && path.find(rule.path_part) != std::string_view::npos) {
      chosen.rules.push_back(rule);
    }
  }
  return chosen;
}

Result<FaultPlan> parse_fault_plan(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    Result<FaultRule> rule = parse_rule(take_until(text, ','));
    if (!rule) {
      return fail(std::move(rule.error()));
    }
    plan.rules.push_back(std::move(*rule));
  }
  return plan;
}

}  // namespace longshore
