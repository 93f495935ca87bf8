// The main program of the MPI tests: every rank runs every case, in the same order.
//
// A case fails if it fails on any rank: the ranks compare notes after each case, so that rank 0's
// report and everybody's exit code tell the truth. A case that hangs is ended by an alarm that
// names it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <mpi.h>
#include <unistd.h>

namespace {

constexpr unsigned kCaseTimeoutSeconds = 120;
char current_case[512];

void on_alarm(int /*signal*/) {
  constexpr char kText[] = "\nmpi_gtest: timed out in ";
  // Whether stderr can be written does not matter any more.
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  (void)!write(STDERR_FILENO, current_case, strlen(current_case));
  (void)!write(STDERR_FILENO, "\n", 1);
  abort();
}

// Sets the alarm around each case and makes a failure on one rank a failure on all of them.
class Agreement : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& info) override {
    std::snprintf(current_case, sizeof current_case, "%s.%s", info.test_suite_name(), info.name());
    alarm(kCaseTimeoutSeconds);
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const int failed_here = info.result()->Failed() ? 1 : 0;
    int failures = 0;
    MPI_Allreduce(&failed_here, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    alarm(0);
    if (failures > 0 && failed_here == 0) {
      ADD_FAILURE() << "failed on " << failures << " other rank(s)";
    }
  }
};

// Says what failed on ranks other than 0, whose own printer is off.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.failed()) {
      std::fprintf(stderr, "[rank %d] %s: %s:%d: %s\n", rank_, current_case,
                   part.file_name() != nullptr ? part.file_name() : "?", part.line_number(),
                   part.message());
    }
  }

  int rank_;
};

void set_up_listeners(int rank) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
    // One report a run is enough.
    delete listeners.Release(listeners.default_xml_generator());
  }
  listeners.Append(new Agreement);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  testing::InitGoogleMock(&argc, argv);
  if (provided != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "mpi_gtest: the MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::signal(SIGALRM, on_alarm);
  set_up_listeners(rank);
  const int failed_here = RUN_ALL_TESTS();
  int failed = 0;
  MPI_Allreduce(&failed_here, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
