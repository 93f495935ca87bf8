#include "lib/bench_sweep.h"

#include <sstream>

namespace longshore::cli {

Result<std::vector<std::vector<std::string>>> expand_sweeps(
    const std::vector<std::string>& sweeps) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const auto& sweep : sweeps) {
    const auto equals = sweep.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == sweep.size()) {
      return fail(ErrorClass::kInvalidArgument, "--sweep " + sweep + ": give it as key=v1,v2");
    }
    std::vector<std::vector<std::string>> longer;
    for (const auto& before : all) {
      std::istringstream values(sweep.substr(equals + 1));
      for (std::string value; std::getline(values, value, ',');) {
        longer.push_back(before);
        longer.back().push_back(sweep.substr(0, equals + 1) + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace longshore::cli
