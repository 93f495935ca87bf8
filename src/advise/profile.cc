#include "advise/profile.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

namespace longshore {

namespace {

struct Key {
  const char* name;
  double& (*at)(Profile&);
};

constexpr std::array kKeys{
    Key{"copy_mb_s", [](Profile& p) -> double& { return p.copy_mb_s; }},
    Key{"step_us", [](Profile& p) -> double& { return p.step_us; }},
    Key{"message_us", [](Profile& p) -> double& { return p.message_us; }},
    Key{"network_us", [](Profile& p) -> double& { return p.network_us; }},
    Key{"network_mb_s", [](Profile& p) -> double& { return p.network_mb_s; }},
    Key{"page_us", [](Profile& p) -> double& { return p.page_us; }},
    Key{"switch_us", [](Profile& p) -> double& { return p.switch_us; }},
    Key{"local_call_us", [](Profile& p) -> double& { return p.local.call_us; }},
    Key{"local_piece_us", [](Profile& p) -> double& { return p.local.piece_us; }},
    Key{"local_client_mb_s", [](Profile& p) -> double& { return p.local.client_mb_s; }},
    Key{"local_target_mb_s", [](Profile& p) -> double& { return p.local.target_mb_s; }},
    Key{"remote_call_us", [](Profile& p) -> double& { return p.remote.call_us; }},
    Key{"remote_piece_us", [](Profile& p) -> double& { return p.remote.piece_us; }},
    Key{"remote_client_mb_s", [](Profile& p) -> double& { return p.remote.client_mb_s; }},
    Key{"remote_target_mb_s", [](Profile& p) -> double& { return p.remote.target_mb_s; }},
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// False for an unknown key or a bad value.
bool set(Profile& profile, const std::string& key, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e15) {
    return false;
  }
  for (const auto& each : kKeys) {
    if (key == each.name) {
      each.at(profile) = value;
      return true;
    }
  }
  return false;
}

}  // namespace

bool operator==(const Profile& a, const Profile& b) { return values_of(a) == values_of(b); }

std::vector<std::pair<std::string, double>> values_of(const Profile& profile) {
  Profile copy = profile;
  std::vector<std::pair<std::string, double>> values;
  for (const auto& each : kKeys) {
    values.emplace_back(each.name, each.at(copy));
  }
  return values;
}

Result<Profile> parse_profile(const std::string& text) {
  Profile profile;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    const auto equals = line.find('=');
    if (line.empty()) {
      continue;
    }
    if (equals == std::string::npos ||
        !set(profile, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)))) {
      return fail(ErrorClass::kInvalidArgument,
                  "line " + std::to_string(number) + " of the profile: '" + line + "'");
    }
  }
  return profile;
}

Result<Profile> site_profile() {
  const char* path = std::getenv("LONGSHORE_PROFILE");
  if (path == nullptr || *path == '\0') {
    return Profile{};
  }
  std::ifstream file(path);
  if (!file) {
    return fail(ErrorClass::kNoSuchFile, std::string("LONGSHORE_PROFILE: cannot read ") + path);
  }
  auto profile = parse_profile({std::istreambuf_iterator<char>(file), {}});
  if (!profile) {
    return fail(profile.error().code, std::string(path) + ": " + profile.error().detail);
  }
  return profile;
}

}  // namespace longshore
