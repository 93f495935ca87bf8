#include "check/stopwatch.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "host_clock.h"

namespace longshore::check {
namespace {

constexpr double kHeadStartSeconds = 0.0005;  // for the message that says when to start
constexpr int kLookMicroseconds = 50;
constexpr double kLeastSeconds = 1e-9;  // never nothing: ratios are made of it

}  // namespace

Stopwatch::Stopwatch() : one_host_(on_one_host()) {}

void Stopwatch::start() {
  MPI_Barrier(MPI_COMM_WORLD);
  if (one_host_) {
    double moment = host_seconds() + kHeadStartSeconds;
    MPI_Bcast(&moment, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sleep_until(moment);
  }
  start_ = host_seconds();
}

void Stopwatch::lap() { end_ = host_seconds(); }

// A rank that is done sleeps between its looks: spinning, it would hold a core that others need.
Stopwatch::Reading Stopwatch::stop(bool failed) const {
  const std::array<double, 3> own = {start_, one_host_ ? end_ : end_ - start_, failed ? 1.0 : 0.0};
  std::array<double, 3> last{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(own.data(), last.data(), 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    usleep(kLookMicroseconds);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return {std::max(kLeastSeconds, one_host_ ? last[1] - last[0] : last[1]), last[2] > 0};
}

}  // namespace longshore::check
