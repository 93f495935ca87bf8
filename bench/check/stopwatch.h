// stopwatch.h - one trial's time: of the slowest rank, from a common start.
#pragma once

namespace longshore::check {

// Collective at every step, over MPI_COMM_WORLD. On one host, whose clock all share, ranks sleep
// for a common moment, and the time runs from when the last one really wakes to when the last one
// is done: a barrier lets some ranks go long before others where they share cores, and a busy
// machine wakes them late. Between hosts it is a barrier and the longest of the ranks' own times.
class Stopwatch {
 public:
  Stopwatch();
  void start();
  // This rank is done; may be called once or twice, of which the later counts.
  void lap();
  struct Reading {
    double seconds = 0;   // of the slowest rank
    bool failed = false;  // on some rank
  };
  // The same reading on all ranks. `failed` says whether this rank's calls did.
  [[nodiscard]] Reading stop(bool failed) const;

 private:
  bool one_host_;
  double start_ = 0;
  double end_ = 0;
};

}  // namespace longshore::check
