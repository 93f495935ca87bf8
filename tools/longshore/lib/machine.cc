#include "lib/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace longshore::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnknown = "unknown";

// The kernel writes blanks and backslashes of a path as \040 and \134.
std::string without_escapes(const std::string& word) {
  constexpr size_t kDigits = 3;
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '\\' && i + kDigits < word.size()) {
      text += static_cast<char>(std::stoi(word.substr(i + 1, kDigits), nullptr, 8));
      i += kDigits;
    } else {
      text += word[i];
    }
  }
  return text;
}

bool holds(const fs::path& folder, const fs::path& path) {
  const auto ends = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return ends.first == folder.end();
}

}  // namespace

Machine this_machine() {
  utsname facts{};
  (void)uname(&facts);
  Machine machine;
  machine.hostname = facts.nodename;
  machine.cores = std::thread::hardware_concurrency();
  machine.kernel = std::string(facts.sysname) + " " + facts.release;
  machine.architecture = facts.machine;
  return machine;
}

// A line: number, parent, device, root, mount point, options, ... - type, source, options. Of
// mounts over each other the last is seen.
std::string file_system_in(const std::string& mountinfo, const fs::path& path) {
  std::string type = kUnknown;
  size_t longest = 0;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    const auto dash = std::find(words.begin(), words.end(), "-");
    constexpr size_t kMountPoint = 4;
    if (words.size() <= kMountPoint || words.end() - dash < 2) {
      continue;
    }
    const std::string folder = without_escapes(words[kMountPoint]);
    if (folder.size() >= longest && holds(folder, path)) {
      longest = folder.size();
      type = *(dash + 1);
    }
  }
  return type;
}

std::string file_system_of(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  std::ifstream file("/proc/self/mountinfo");
  const std::string mountinfo{std::istreambuf_iterator<char>(file), {}};
  return error ? kUnknown : file_system_in(mountinfo, real);
}

}  // namespace longshore::cli
