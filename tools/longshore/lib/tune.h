// lib/tune.h - measures some constants of the cost model on this host, for a site profile.
//
// One process, one host: what copying costs, a switch between threads, and transfers to one file,
// each the median of repetitions. Costs between ranks and between hosts need a parallel program and
// are not measured: the profile has the built-in values for them, and says so.
#pragma once
#include <string>
#include <vector>

#include "advise/profile.h"
#include "core/result.h"

namespace longshore::cli {

struct TuneRequest {
  std::string dir = ".";  // a file is made there, and removed
  double seconds = 10;    // for all measurements together, about
  bool remote =
      false;  // the folder is on servers: its figures are remote_*, and count synced bytes
};

struct TuneResult {
  Profile profile;
  std::vector<std::string> measured;  // keys
};

// Fails if the file cannot be made or written.
[[nodiscard]] Result<TuneResult> tune(const TuneRequest& request);

// A site profile, as parse_profile() reads it; what is not measured says so.
[[nodiscard]] std::string profile_text(const TuneResult& result);

}  // namespace longshore::cli
