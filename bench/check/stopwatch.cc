#include "check/stopwatch.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace longshore::check {
namespace {

constexpr double kHeadStartSeconds = 0.0005;  // for the message that says when to start
constexpr int kLookMicroseconds = 50;
constexpr double kLeastSeconds = 1e-9;  // never nothing: ratios are made of it

bool on_one_host() {
  int ranks = 0;
  int ranks_here = 0;
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks_here);
  MPI_Comm_free(&here);
  const int here_all = ranks_here == ranks ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&here_all, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

void sleep_until(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

}  // namespace

double host_seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

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
