/* checkpoint - writes a block-distributed 3-D checkpoint to one shared file and reads it back.
 *
 * The pattern of most simulation codes: every rank owns a block of a global N x N x N grid and
 * several variables on it; the file holds a small header and then the variables one after the
 * other, each as a whole global array. Each variable is one subarray file view and one collective
 * write. It is a plain MPI program that knows nothing of Longshore.
 *
 *   mpirun -n 4 checkpoint [--size N] [--variables V] [--file PATH] [--sync] [--keep]
 *
 * Prints one line per direction with the time from before MPI_File_open to after MPI_File_close on
 * the slowest rank, and exits with 1 if what is read back is not what was written. MB is 10^6
 * bytes.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kDimensions = 3, kHeaderBytes = 64 };

typedef struct {
  int size;      /* N: the grid has N^3 points */
  int variables; /* V */
  const char* path;
  int sync; /* MPI_File_sync before closing */
  int keep; /* leave the file behind */
} Options;

typedef struct {
  int rank;
  int ranks;
  int global[kDimensions]; /* points in the grid */
  int local[kDimensions];  /* points of this rank's block */
  int start[kDimensions];  /* where the block begins */
  size_t points;           /* in the block */
  double* values;          /* of one variable */
} Block;

static void check(int code, const char* what) {
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "checkpoint: %s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static void usage(void) {
  fprintf(stderr, "usage: checkpoint [--size N] [--variables V] [--file PATH] [--sync] [--keep]\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static int positive(const char* text) {
  char* end = NULL;
  const long value = text != NULL ? strtol(text, &end, 10) : 0;
  if (end == NULL || *end != '\0' || value < 1 || value > 100000) {
    usage();
  }
  return (int)value;
}

static Options parse(int argc, char** argv) {
  Options options = {128, 8, "checkpoint.dat", 0, 0};
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--size") == 0) {
      options.size = positive(value);
      ++i;
    } else if (strcmp(argv[i], "--variables") == 0) {
      options.variables = positive(value);
      ++i;
    } else if (strcmp(argv[i], "--file") == 0 && value != NULL) {
      options.path = value;
      ++i;
    } else if (strcmp(argv[i], "--sync") == 0) {
      options.sync = 1;
    } else if (strcmp(argv[i], "--keep") == 0) {
      options.keep = 1;
    } else {
      usage();
    }
  }
  return options;
}

/* Cuts the grid into one block per rank, as equal as N allows. */
static Block make_block(const Options* options) {
  Block block;
  memset(&block, 0, sizeof block);
  MPI_Comm_rank(MPI_COMM_WORLD, &block.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &block.ranks);
  int parts[kDimensions] = {0, 0, 0};
  MPI_Dims_create(block.ranks, kDimensions, parts);
  const int place[kDimensions] = {block.rank / (parts[1] * parts[2]),
                                  block.rank / parts[2] % parts[1], block.rank % parts[2]};
  block.points = 1;
  for (int d = 0; d < kDimensions; ++d) {
    const int64_t n = options->size;
    const int begin = (int)(n * place[d] / parts[d]);
    const int end = (int)(n * (place[d] + 1) / parts[d]);
    block.global[d] = options->size;
    block.start[d] = begin;
    block.local[d] = end - begin;
    block.points *= (size_t)(end - begin);
  }
  block.values = malloc(block.points * sizeof(double) + 1);
  if (block.values == NULL || block.points > INT32_MAX) {
    fprintf(stderr, "checkpoint: a block of %zu points is too large\n", block.points);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return block;
}

/* The value of a variable at the block's i-th point: different everywhere in the file. */
static double value_at(const Block* block, int variable, size_t i) {
  const size_t z = i % (size_t)block->local[2];
  const size_t y = i / (size_t)block->local[2] % (size_t)block->local[1];
  const size_t x = i / (size_t)block->local[2] / (size_t)block->local[1];
  const double n = block->global[0];
  const double index =
      ((double)(x + (size_t)block->start[0]) * n + (double)(y + (size_t)block->start[1])) * n +
      (double)(z + (size_t)block->start[2]);
  return index + variable / 1024.0;
}

static void fill(Block* block, int variable) {
  for (size_t i = 0; i < block->points; ++i) {
    block->values[i] = value_at(block, variable, i);
  }
}

static int64_t count_wrong(const Block* block, int variable) {
  int64_t wrong = 0;
  for (size_t i = 0; i < block->points; ++i) {
    wrong += block->values[i] != value_at(block, variable, i);
  }
  return wrong;
}

static void make_header(const Options* options, char header[kHeaderBytes]) {
  memset(header, 0, kHeaderBytes);
  snprintf(header, kHeaderBytes, "checkpoint double %d^3 x %d\n", options->size,
           options->variables);
}

/* A block with an edge of no points cannot be a subarray: such a rank sees no byte of the file. */
static MPI_Datatype make_filetype(const Block* block) {
  MPI_Datatype type;
  if (block->points == 0) {
    check(MPI_Type_contiguous(1, MPI_DOUBLE, &type), "MPI_Type_contiguous");
  } else {
    check(MPI_Type_create_subarray(kDimensions, block->global, block->local, block->start,
                                   MPI_ORDER_C, MPI_DOUBLE, &type),
          "MPI_Type_create_subarray");
  }
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return type;
}

static void check_full(const MPI_Status* status, const Block* block, const char* what) {
  int count = 0;
  MPI_Get_count(status, MPI_DOUBLE, &count);
  if (count != (int)block->points) {
    fprintf(stderr, "checkpoint: rank %d: %s moved %d of %zu values\n", block->rank, what, count,
            block->points);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static MPI_Offset place_of(const Options* options, int variable) {
  const MPI_Offset n = options->size;
  return kHeaderBytes + variable * n * n * n * (MPI_Offset)sizeof(double);
}

/* Moves one variable; the time it takes is the caller's to measure. */
static void move(MPI_File file, MPI_Offset place, MPI_Datatype filetype, const Block* block,
                 int write) {
  MPI_Status status;
  check(MPI_File_set_view(file, place, MPI_DOUBLE, filetype, "native", MPI_INFO_NULL),
        "MPI_File_set_view");
  if (write) {
    check(MPI_File_write_all(file, block->values, (int)block->points, MPI_DOUBLE, &status),
          "MPI_File_write_all");
  } else {
    check(MPI_File_read_all(file, block->values, (int)block->points, MPI_DOUBLE, &status),
          "MPI_File_read_all");
  }
  check_full(&status, block, write ? "MPI_File_write_all" : "MPI_File_read_all");
}

static double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* Seconds from open to close; computing the values is not counted. */
static double write_checkpoint(const Options* options, Block* block, MPI_Datatype filetype) {
  char header[kHeaderBytes];
  make_header(options, header);
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, options->path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &file),
        "MPI_File_open");
  if (block->rank == 0) {
    check(MPI_File_write_at(file, 0, header, kHeaderBytes, MPI_BYTE, MPI_STATUS_IGNORE),
          "MPI_File_write_at");
  }
  for (int v = 0; v < options->variables; ++v) {
    seconds += MPI_Wtime();
    fill(block, v);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds -= MPI_Wtime();
    move(file, place_of(options, v), filetype, block, 1);
  }
  if (options->sync) {
    check(MPI_File_sync(file), "MPI_File_sync");
  }
  check(MPI_File_close(&file), "MPI_File_close");
  return slowest(seconds + MPI_Wtime());
}

/* Seconds from open to close; comparing the values is not counted. */
static double read_checkpoint(const Options* options, Block* block, MPI_Datatype filetype,
                              int64_t* wrong) {
  char expected[kHeaderBytes];
  char header[kHeaderBytes];
  make_header(options, expected);
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, options->path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
        "MPI_File_open");
  check(MPI_File_read_at_all(file, 0, header, kHeaderBytes, MPI_BYTE, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
  int64_t wrong_here = memcmp(header, expected, kHeaderBytes) != 0;
  for (int v = 0; v < options->variables; ++v) {
    memset(block->values, 0xff, block->points * sizeof(double));
    move(file, place_of(options, v), filetype, block, 0);
    seconds += MPI_Wtime();
    wrong_here += count_wrong(block, v);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds -= MPI_Wtime();
  }
  check(MPI_File_close(&file), "MPI_File_close");
  seconds += MPI_Wtime();
  MPI_Allreduce(&wrong_here, wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return slowest(seconds);
}

static void report(const Options* options, const char* direction, double seconds) {
  const double megabytes = (double)place_of(options, options->variables) / 1e6;
  printf("%s: %.1f MB in %.4f s, %.1f MB/s\n", direction, megabytes, seconds, megabytes / seconds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = parse(argc, argv);
  Block block = make_block(&options);
  MPI_Datatype filetype = make_filetype(&block);
  if (block.rank == 0) {
    MPI_File_delete(options.path, MPI_INFO_NULL); /* an old one may be longer */
  }
  int64_t wrong = 0;
  const double write_seconds = write_checkpoint(&options, &block, filetype);
  const double read_seconds = read_checkpoint(&options, &block, filetype, &wrong);
  if (block.rank == 0) {
    report(&options, "write", write_seconds);
    report(&options, "read", read_seconds);
    printf("verified: %s (%lld wrong values)\n", wrong == 0 ? "yes" : "NO", (long long)wrong);
    if (!options.keep) {
      MPI_File_delete(options.path, MPI_INFO_NULL);
    }
  }
  MPI_Type_free(&filetype);
  free(block.values);
  MPI_Finalize();
  return wrong != 0;
}
