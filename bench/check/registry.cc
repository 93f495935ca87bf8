#include "check/registry.h"

#include <iterator>

namespace longshore::check {
namespace {

Rules make_all() {
  Rules all;
  for (auto* const make :
       {make_offset_rules, make_split_rules, make_nonblocking_rules, make_atomic_rules,
        make_preallocate_rules, make_shared_rules, make_external32_rules, make_pieces_rules,
        make_collective_rules, make_hint_rules}) {
    auto some = make();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const Rules& all_rules() {
  static const Rules rules = make_all();
  return rules;
}

const Rules& self_rules() {
  static const Rules rules = make_self_rules();
  return rules;
}

}  // namespace longshore::check
