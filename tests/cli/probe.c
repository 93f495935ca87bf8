/* Rank 0 prints whose MPI_File_open this process has, the number of ranks, and two variables.
 * With an argument, every rank ends with that exit code, or by that signal if it is `signal`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* shown(const char* variable) {
  const char* value = getenv(variable);
  return value != NULL ? value : "-";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Dl_info info;
  const int found = dladdr(dlsym(RTLD_DEFAULT, "MPI_File_open"), &info);
  const int ours = found && strstr(info.dli_fname, "liblongshore.so") != NULL;
  int ours_everywhere = 0;
  MPI_Allreduce(&ours, &ours_everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s ranks=%d hints=%s verbose=%s\n", ours_everywhere ? "longshore" : "stock", ranks,
           shown("LONGSHORE_HINTS"), shown("LONGSHORE_VERBOSE"));
    fflush(stdout);
  }
  MPI_Finalize();
  if (argc > 1 && strcmp(argv[1], "signal") == 0) {
    raise(SIGTERM);
  }
  return argc > 1 ? atoi(argv[1]) : 0;
}
