// longshore-check - measures rules of performance on the MPI-IO at hand.
//
// A plain MPI program that knows nothing of Longshore: the same binary runs on the stock MPI-IO
// and, with the library preloaded, on Longshore. Rank 0 prints a line of JSON that says what is
// measured, then one for each case as soon as it is done, and on standard error how far it is.
#include <mpi.h>

#include <cstdio>

#include "check/measure.h"
#include "check/options.h"
#include "check/output.h"

namespace longshore::check {
namespace {

void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

// True if no byte was wrong.
bool execute(int argc, char** argv) {
  const auto options = parse(argc, argv);
  auto cases = make_cases(options);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  if (rank == 0) {
    print_line(header_json(ranks, cases.size()));
  }
  Listeners listeners;
  listeners.told = [](const Case& one) { print_line(case_json(one)); };
  listeners.visited = [&](const Case& one, size_t done) {
    std::fprintf(stderr, "progress %zu %zu %s\n", done, cases.size(), case_text(one).c_str());
  };
  measure(options, cases, listeners);
  bool right = true;
  for (const auto& one : cases) {
    right = right && one.wrong.empty();
  }
  return right;
}

}  // namespace
}  // namespace longshore::check

int main(int argc, char** argv) {
  if (longshore::check::answer_questions(argc, argv)) {
    return 0;
  }
  MPI_Init(&argc, &argv);
  const bool right = longshore::check::execute(argc, argv);
  MPI_Finalize();
  return right ? 0 : longshore::check::kWrongBytes;
}
