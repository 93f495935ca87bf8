// random_test - runs random MPI-IO programs and compares them, byte by byte, with a naive model.
//
// Started with any number of ranks (8 is usual). Each case takes 1 to all of them; cases that fit
// side by side run at the same time. Every case is a function of (seed, case number).
// Ends with 0 if no case differed, 1 otherwise, 3 on a hang.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "case_runner.h"
#include "polite.h"

namespace {

using random_test::CaseRunner;
using random_test::Options;

int64_t watched_case = -1;
int64_t accesses = 0;  // of this rank, in all cases
int64_t moving = 0;    // those that moved bytes
int world_rank = 0;

// Only async-signal-safe calls: the process is stuck in unknown code.
void report_hang(int) {
  char text[400];
  const int length = std::snprintf(text, sizeof text, "HANG case %lld world rank %d: %s\n",
                                   static_cast<long long>(watched_case), world_rank,
                                   random_test::current_activity);
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) {
    _exit(4);
  }
  sleep(2);  // lets the other ranks report as well
  _exit(3);
}

// A place in the round: which case this rank works on, and with which ranks.
struct Seat {
  int64_t number = -1;  // -1: no case in this round
  int first_rank = 0;
  int ranks = 0;
  int64_t next_first = 0;
};

// Puts consecutive cases side by side while they fit into the world.
Seat take_seat(const Options& options, int64_t first, int world_size) {
  Seat seat;
  int used = 0;
  int64_t number = first;
  const int64_t end = options.first_case + options.cases;
  while (number < end) {
    const int ranks = random_test::ranks_of_case(options.seed, number, world_size);
    if (used + ranks > world_size) {
      break;
    }
    if (world_rank >= used && world_rank < used + ranks) {
      seat.number = number;
      seat.first_rank = used;
      seat.ranks = ranks;
    }
    used += ranks;
    ++number;
  }
  seat.next_first = number;
  return seat;
}

// Communicators of neighbouring ranks, kept from case to case: making one keeps all cores busy for
// long on some MPIs. The members of each ask for it in the same sequence, so they agree on what is
// kept.
class Communicators {
 public:
  // Collective over the seat's ranks.
  MPI_Comm get(const Seat& seat) {
    MPI_Comm& comm = slot(seat);
    if (comm == MPI_COMM_NULL) {
      std::vector<int> members;
      for (int i = 0; i < seat.ranks; ++i) {
        const int at = reversed(seat) ? seat.ranks - 1 - i : i;
        members.push_back(seat.first_rank + at);
      }
      MPI_Group world = MPI_GROUP_NULL;
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group_incl(world, seat.ranks, members.data(), &group);
      MPI_Comm_create_group(MPI_COMM_WORLD, group, seat.first_rank, &comm);
      MPI_Group_free(&group);
      MPI_Group_free(&world);
    }
    return comm;
  }

  // Now and then a communicator is made anew.
  void done(const Seat& seat) {
    if (seat.number % 32 == 0) {
      MPI_Comm_free(&slot(seat));
    }
  }

  void free_all() {
    for (auto& entry : comms_) {
      if (entry.second != MPI_COMM_NULL) {
        MPI_Comm_free(&entry.second);
      }
    }
  }

 private:
  // Every third case sees its ranks in reverse order.
  static bool reversed(const Seat& seat) { return seat.number % 3 == 0; }

  MPI_Comm& slot(const Seat& seat) {
    const auto key = std::make_tuple(seat.first_rank, seat.ranks, reversed(seat));
    return comms_.try_emplace(key, MPI_COMM_NULL).first->second;
  }

  std::map<std::tuple<int, int, bool>, MPI_Comm> comms_;
};

// Returns how many cases of the round failed.
int run_round(const Options& options, const Seat& seat, Communicators& communicators) {
  int failed = 0;
  if (seat.number >= 0) {
    watched_case = seat.number;
    const MPI_Comm comm = communicators.get(seat);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    CaseRunner runner(options, seat.number, comm);
    const bool passed = runner.run();
    accesses += runner.accesses();
    moving += runner.moving();
    failed = !passed && rank == 0 ? 1 : 0;
    communicators.done(seat);
  }
  return random_test::polite_reduce(failed, MPI_SUM, MPI_COMM_WORLD);
}

int run_all(const Options& options, int world_size) {
  int failures = 0;
  Communicators communicators;
  int64_t first = options.first_case;
  while (first < options.first_case + options.cases && failures < options.stop_after) {
    alarm(static_cast<unsigned>(options.hang_seconds));
    const Seat seat = take_seat(options, first, world_size);
    failures += run_round(options, seat, communicators);
    first = seat.next_first;
  }
  alarm(0);
  communicators.free_all();
  const long long mine[2] = {accesses, moving};
  long long all[2] = {0, 0};
  MPI_Reduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0) {
    std::printf(
        "random_test: seed %llu, %lld cases, %lld accesses (%lld with data), "
        "%d cases with differences\n",
        static_cast<unsigned long long>(options.seed),
        static_cast<long long>(first - options.first_case), all[0], all[1], failures);
  }
  return failures;
}

// A folder in memory unless the caller names one: the cases sync often.
std::string default_directory() { return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "."; }

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  int world_size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  Options options;
  options.directory = default_directory();
  int failures = 1;
  if (world_size > 8) {
    std::fprintf(stderr, "random_test: at most 8 ranks\n");
  } else if (random_test::parse_options(argc, argv, options)) {
    std::signal(SIGALRM, report_hang);
    random_test::describe_types = options.verbose;
    if (world_rank == 0) {
      std::printf("random_test: seed %llu\n", static_cast<unsigned long long>(options.seed));
      std::fflush(stdout);
    }
    failures = run_all(options, world_size);
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
