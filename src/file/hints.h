// file/hints.h - what a program, an environment or a site asks of a file, and what is in effect.
//
// Order of precedence: the info object, LONGSHORE_HINTS ("key=value;key=value"), LONGSHORE_PREFETCH
// (the value of longshore_prefetch), ROMIO_HINTS (a file of "key value" lines), the built-in
// choice. A bad value is ignored, as MPI demands, and noted.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "file/data_shipping.h"
#include "file/write_behind.h"
#include "independent/transfer.h"

namespace longshore {

using HintMap = std::map<std::string, std::string>;

struct Hints {
  Preferences collective;
  IndependentOptions independent;
  WriteBehindOptions write_behind;
  int64_t striping_factor = 0;  // 0: the file system's choice
  int64_t start_iodevice = -1;
  std::string storage = "auto";
  ShippingWish shipping;  // by the file system; after the open: whether it is in effect
  HintMap passive;        // standard hints that inform others and change nothing here

  // Takes each pair over; what is unknown is left out, what has a bad value is left as it was and
  // described in `complaints`.
  void apply(const HintMap& pairs, std::vector<std::string>& complaints);
  // All hints with their values in effect.
  [[nodiscard]] HintMap effective() const;
};

// Hints with the environment's applied, before the program's own.
[[nodiscard]] Hints hints_from_environment(std::vector<std::string>& complaints);

}  // namespace longshore
