// advise/profile.h - the constants of the cost model: what a site's machines and storage do.
//
// A site profile is a text file of `key = value` lines, named by LONGSHORE_PROFILE; `#` begins a
// comment. It overrides the built-in values, which are round numbers of the kind that small
// clusters show, not measurements of anybody's.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace longshore {

// How one kind of storage serves a client host. MB are 10^6 bytes.
struct StorageCosts {
  double call_us = 0;      // from asking for a transfer to its begin
  double piece_us = 0;     // each further piece of a list
  double client_mb_s = 0;  // between one host and storage
  double target_mb_s = 0;  // of one target: server and device
};

struct Profile {
  double copy_mb_s = 4000;                   // one core copies
  double step_us = 10;                       // a small step of all ranks of a host
  double message_us = 2;                     // a message between ranks of a host
  double network_us = 30;                    // a message, or a step, between hosts
  double network_mb_s = 1000;                // the link of one host
  double page_us = 0.3;                      // finding the page of a small piece, and its lock
  double switch_us = 20;                     // handing a buffer to another thread
  StorageCosts local{5, 1, 2500, 2500};      // a plain file: mostly the page cache
  StorageCosts remote{500, 100, 1000, 500};  // servers behind a network

  friend bool operator==(const Profile&, const Profile&);
};

// "copy_mb_s", "local_call_us", "remote_target_mb_s", ... with their values, in a fixed order.
[[nodiscard]] std::vector<std::pair<std::string, double>> values_of(const Profile& profile);

// The built-in values with those of the text. kInvalidArgument, with the line, for an unknown key
// and for a value that is not above 0.
[[nodiscard]] Result<Profile> parse_profile(const std::string& text);

// Of the file that LONGSHORE_PROFILE names; the built-in one if it names none. kNoSuchFile if there
// is no such file.
[[nodiscard]] Result<Profile> site_profile();

}  // namespace longshore
