// layout/striping.h - the layout of a file, whatever the file system, and how to ask for one.
//
// What each file system can do is in a file of its own: lustre.h, gpfs.h, beegfs.h, cephfs.h.
#pragma once
#include <cstdint>
#include <string>

#include "core/result.h"
#include "layout/layout.h"
#include "layout/probe.h"

namespace longshore {

// What a program asks of a file that it makes; 0 or -1: nothing.
struct StripingWish {
  int64_t unit_bytes = 0;
  int64_t factor = 0;
  int64_t start_device = -1;

  [[nodiscard]] bool any() const { return unit_bytes > 0 || factor > 0 || start_device >= 0; }
};

struct NewFile {
  std::string path;
  StripingWish wish;
  int permissions = 0666;  // before the umask
};

// What became of it.
enum class StripingOutcome : int32_t {
  kNotAsked,
  kSet,          // the file has what was asked for
  kAdjusted,     // the file system took it and made something else of it
  kRefused,      // the file system would not take it: the file has its default
  kFileExisted,  // only a new file can be striped
  kNotSettable,  // on this kind of file system
};

// For people and get_info: "set", "not settable on this file system", ...
[[nodiscard]] const char* describe(StripingOutcome outcome);

struct Creation {
  bool created = false;  // the file is there now, and was not before
  StripingOutcome outcome = StripingOutcome::kNotAsked;  // kSet: it was taken
  Error refusal;                                         // why, with kRefused
};

// Makes the file with the striping wished for, if the file system can do that. Where nothing was
// created, be it that the file was there, the folder is closed or nothing was asked for, an
// ordinary open does the rest and tells what is wrong.
[[nodiscard]] Creation create_striped(Probe& probe, const NewFile& file);

// The layout of a file that is there. kPlain, with nothing but its block size, where stripes are
// not known or the file system's answer makes no sense; `trouble` then says why, if it is given.
[[nodiscard]] Layout read_layout(Probe& probe, const std::string& path, Error* trouble = nullptr);

// What became of a wish in the end: kSet only if the file has what was asked for.
[[nodiscard]] StripingOutcome outcome_of(const StripingWish& wish, const Creation& creation,
                                         const Layout& layout);

}  // namespace longshore
