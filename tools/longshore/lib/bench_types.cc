#include "lib/bench_types.h"

namespace longshore::cli {

std::string Variant::name() const {
  std::string text = kind;
  for (const auto& hint : sweep) {
    text += " " + hint;
  }
  return text;
}

}  // namespace longshore::cli
