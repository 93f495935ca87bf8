#include "check/trial.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

namespace longshore::check {
namespace {

using ErrorText = std::array<char, MPI_MAX_ERROR_STRING>;

// The lowest failing rank's words, on all ranks; empty if all went well. Collective.
std::string agreed_error(int code, const char* what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int own = code == MPI_SUCCESS ? INT32_MAX : rank;
  int first = INT32_MAX;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == INT32_MAX) {
    return {};
  }
  ErrorText text{};
  if (rank == first) {
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
  }
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return std::string(what) + ": " + text.data();
}

MPI_Info make_info(const Hints& hints) {
  MPI_Info info = MPI_INFO_NULL;
  if (!hints.empty()) {
    MPI_Info_create(&info);
  }
  for (const auto& [key, value] : hints) {
    MPI_Info_set(info, key.c_str(), value.c_str());
  }
  return info;
}

struct Codes {
  int moved = MPI_SUCCESS;
  int closed = MPI_SUCCESS;
};

// The close is done in any case.
Codes timed(const Rule& rule, Side side, Trial& trial, Stopwatch& watch) {
  Codes codes;
  watch.start();
  codes.moved = rule.transfer(side, trial);
  watch.lap();
  codes.closed = MPI_File_close(&trial.file);
  if (trial.place.direction == Direction::kWrite) {
    watch.lap();
  }
  return codes;
}

}  // namespace

void remove_file(const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(path.c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TrialResult run_trial(const Rule& rule, const Place& place, Side side, const std::string& path,
                      std::span<std::byte> memory) {
  static Stopwatch watch;
  if (rule.facts().new_file) {
    remove_file(path);
  }
  Trial trial{place, MPI_FILE_NULL, memory.data(), rule.segments(place)};
  MPI_Info info = make_info(rule.hints(side, place));
  const int mode =
      place.direction == Direction::kWrite ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
  const int opened = MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, info, &trial.file);
  if (info != MPI_INFO_NULL) {
    MPI_Info_free(&info);
  }
  if (auto error = agreed_error(opened, "MPI_File_open"); !error.empty()) {
    return {0, error};
  }
  const int prepared = rule.prepare(side, trial);
  if (auto error = agreed_error(prepared, "preparing the file"); !error.empty()) {
    MPI_File_close(&trial.file);
    return {0, error};
  }
  const auto codes = timed(rule, side, trial, watch);
  const bool failed = codes.moved != MPI_SUCCESS || codes.closed != MPI_SUCCESS;
  const auto reading = watch.stop(failed);
  if (!reading.failed) {
    return {reading.seconds, ""};
  }
  auto error = agreed_error(codes.moved, "a call");
  return {0, error.empty() ? agreed_error(codes.closed, "MPI_File_close") : error};
}

}  // namespace longshore::check
