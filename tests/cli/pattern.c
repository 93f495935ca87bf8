/* pattern FILE CALLS BLOCK STRIDE SHIFT COUNT TIMES [END]
 *
 * The pattern of `longshore explain`: TIMES calls (write_all, read_all, write, read), in each of
 * which a rank moves COUNT pieces of BLOCK bytes, one every STRIDE bytes, rank r's first at r *
 * SHIFT; through a view if COUNT is more than 1, else at an offset. For reads the file is written
 * before, and closed. END is how it ends: close (the default), forget (MPI_Finalize without a
 * close), exit (neither), kill (rank 1 kills itself), many (the file is opened, written and closed
 * 1000 times), none (no file). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long block, stride, shift, count, times;
static int rank, ranks;
static char* buffer;

static void check(int code, const char* what) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "%s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static MPI_File open_file(const char* path, int mode) {
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file), "open");
  if (count > 1) {
    MPI_Datatype piece, spaced;
    MPI_Type_contiguous((int)block, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, stride, &spaced);
    MPI_Type_commit(&spaced);
    check(MPI_File_set_view(file, rank * shift, MPI_BYTE, spaced, "native", MPI_INFO_NULL), "view");
    MPI_Type_free(&piece);
    MPI_Type_free(&spaced);
  }
  return file;
}

static void move(MPI_File file, const char* calls) {
  const int bytes = (int)(block * count);
  for (long i = 0; i < times; i++) {
    const MPI_Offset at = count > 1 ? i * bytes : rank * shift + i * stride;
    MPI_Status status;
    int code = 0;
    if (strcmp(calls, "write_all") == 0) {
      code = MPI_File_write_at_all(file, at, buffer, bytes, MPI_BYTE, &status);
    } else if (strcmp(calls, "read_all") == 0) {
      code = MPI_File_read_at_all(file, at, buffer, bytes, MPI_BYTE, &status);
    } else if (strcmp(calls, "write") == 0) {
      code = MPI_File_write_at(file, at, buffer, bytes, MPI_BYTE, &status);
    } else {
      code = MPI_File_read_at(file, at, buffer, bytes, MPI_BYTE, &status);
    }
    check(code, calls);
  }
}

int main(int argc, char** argv) {
  if (argc < 8) {
    fprintf(stderr, "see the source for the arguments\n");
    return 2;
  }
  const char* path = argv[1];
  const char* calls = argv[2];
  const char* end = argc > 8 ? argv[8] : "close";
  block = atol(argv[3]);
  stride = atol(argv[4]);
  shift = atol(argv[5]);
  count = atol(argv[6]);
  times = atol(argv[7]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  buffer = malloc((size_t)(block * count));
  memset(buffer, 'a' + rank, (size_t)(block * count));
  if (strcmp(end, "none") == 0) {
    MPI_Finalize();
    return 0;
  }
  if (strncmp(calls, "read", 4) == 0) {
    MPI_File file = open_file(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
    move(file, "write_all");
    MPI_File_close(&file);
  }
  for (int i = 0; i < (strcmp(end, "many") == 0 ? 999 : 0); i++) {
    MPI_File file = open_file(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
    move(file, calls);
    MPI_File_close(&file);
  }
  MPI_File file = open_file(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  move(file, calls);
  if (strcmp(end, "exit") == 0) {
    exit(3);
  }
  if (strcmp(end, "kill") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
      raise(SIGKILL);
    }
    sleep(30);
  }
  if (strcmp(end, "forget") != 0) {
    MPI_File_close(&file);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
