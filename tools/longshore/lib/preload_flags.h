// lib/preload_flags.h - how each launcher is told to preload a library into the ranks.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"
#include "lib/launcher.h"

namespace longshore::cli {

struct PreloadFlags {
  std::string library;
  std::string inherited;               // LD_PRELOAD of the command's own environment, or empty
  std::vector<std::string> variables;  // names to be forwarded to ranks on other hosts
};

// `before`, then `library`; `library` alone if there is nothing before or it is there already.
[[nodiscard]] std::string joined_preload(const std::string& before, const std::string& library);

// Edits the command line:
//   Open MPI   -x LD_PRELOAD=... and -x NAME, in each part of an a : b command line
//   hydra      -genv LD_PRELOAD ...
//   srun       --export=ALL,LD_PRELOAD=...
//   flux run   --env=LD_PRELOAD=...
// Where the command line sets LD_PRELOAD itself, that value is kept and the library added to it.
// Fails with kUnsupportedOperation for an Open MPI app file (--app) and for flux commands other
// than run and submit.
[[nodiscard]] Status add_preload_flags(const Launcher& launcher, const PreloadFlags& flags,
                                       std::vector<std::string>& command);

}  // namespace longshore::cli
