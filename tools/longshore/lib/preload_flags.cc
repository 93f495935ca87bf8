#include "lib/preload_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace longshore::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kVariable = "LD_PRELOAD";
constexpr std::string_view kSetVariable = "LD_PRELOAD=";

// Adds the library to what `-x LD_PRELOAD[=value]` asks for; false if the word is something else.
bool extend_assignment(std::string& word, const PreloadFlags& flags) {
  if (word == kVariable) {
    word = std::string(kSetVariable) + joined_preload(flags.inherited, flags.library);
    return true;
  }
  if (word.starts_with(kSetVariable)) {
    const auto value = word.substr(kSetVariable.size());
    word = std::string(kSetVariable) + joined_preload(value, flags.library);
    return true;
  }
  return false;
}

// One part of `mpirun a : b`: extends a preload that is asked for there, else puts one in front.
Words open_mpi_part(Words part, const PreloadFlags& flags) {
  bool extended = false;
  for (size_t i = 0; i + 1 < part.size(); ++i) {
    extended = (part[i] == "-x" && extend_assignment(part[i + 1], flags)) || extended;
  }
  Words front;
  if (!extended) {
    const auto value = joined_preload(flags.inherited, flags.library);
    front = {"-x", std::string(kSetVariable) + value};
  }
  for (const auto& name : flags.variables) {
    front.insert(front.end(), {"-x", name});
  }
  part.insert(part.begin(), front.begin(), front.end());
  return part;
}

// Open MPI's -x holds for one part only.
Status open_mpi(size_t index, const PreloadFlags& flags, Words& command) {
  Words edited(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  auto from = command.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  while (true) {
    const auto to = std::find(from, command.end(), ":");
    if (std::find_if(from, to,
                     [](const auto& word) { return word == "--app" || word == "-app"; }) != to) {
      return fail(ErrorClass::kUnsupportedOperation,
                  "an app file (--app) must ask for the library itself: write -x LD_PRELOAD=" +
                      flags.library + " on each of its lines and start mpirun directly");
    }
    const auto part = open_mpi_part(Words(from, to), flags);
    edited.insert(edited.end(), part.begin(), part.end());
    if (to == command.end()) {
      break;
    }
    edited.push_back(*to);
    from = to + 1;
  }
  command = std::move(edited);
  return {};
}

// hydra passes the whole environment on, so only the preload needs a flag. -env holds for one part
// and beats -genv there.
Status hydra(size_t index, const PreloadFlags& flags, Words& command) {
  bool global = false;
  for (size_t i = index + 1; i + 2 < command.size(); ++i) {
    if ((command[i] == "-genv" || command[i] == "-env") && command[i + 1] == kVariable) {
      global = global || command[i] == "-genv";
      command[i + 2] = joined_preload(command[i + 2], flags.library);
    }
  }
  if (!global) {
    const Words front = {"-genv", std::string(kVariable),
                         joined_preload(flags.inherited, flags.library)};
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(index) + 1, front.begin(),
                   front.end());
  }
  return {};
}

Status slurm(size_t index, const PreloadFlags& flags, Words& command) {
  const auto setting = std::string(kSetVariable) + joined_preload(flags.inherited, flags.library);
  for (size_t i = index + 1; i < command.size(); ++i) {
    if (command[i].starts_with("--export=")) {
      command[i] += "," + setting;
      return {};
    }
    if (command[i] == "--export" && i + 1 < command.size()) {
      command[i + 1] += "," + setting;
      return {};
    }
  }
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                 "--export=ALL," + setting);
  return {};
}

Status flux(size_t index, const PreloadFlags& flags, Words& command) {
  if (index + 1 >= command.size() ||
      (command[index + 1] != "run" && command[index + 1] != "submit")) {
    return fail(ErrorClass::kUnsupportedOperation, "of flux, only `flux run` and `flux submit`");
  }
  command.insert(
      command.begin() + static_cast<std::ptrdiff_t>(index) + 2,
      "--env=" + std::string(kSetVariable) + joined_preload(flags.inherited, flags.library));
  return {};
}

}  // namespace

std::string joined_preload(const std::string& before, const std::string& library) {
  if (before.empty()) {
    return library;
  }
  if (before == library || before.starts_with(library + ":") || before.ends_with(":" + library) ||
      before.find(":" + library + ":") != std::string::npos) {
    return before;
  }
  return before + ":" + library;
}

Status add_preload_flags(const Launcher& launcher, const PreloadFlags& flags, Words& command) {
  switch (launcher.kind) {
    case LauncherKind::kOpenMpi: return open_mpi(launcher.index, flags, command);
    case LauncherKind::kHydra: return hydra(launcher.index, flags, command);
    case LauncherKind::kSlurm: return slurm(launcher.index, flags, command);
    case LauncherKind::kFlux: return flux(launcher.index, flags, command);
  }
  return fail(ErrorClass::kIntern, "unknown launcher");
}

}  // namespace longshore::cli
