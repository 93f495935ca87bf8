/* Writes or checks a NetCDF-4 file (HDF5 inside) in parallel. The contents do not depend on the
 * number of ranks.
 *
 *   netcdf4_client write FILE
 *   netcdf4_client read FILE
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>

enum { kRows = 41, kColumns = 29, kRecords = 7, kElements = kRows * kColumns };

typedef struct {
  const char* name;
  int access; /* NC_COLLECTIVE or NC_INDEPENDENT */
  int chunked, deflated, record;
} Variable;

static const Variable kVariables[] = {
    {"contiguous_collective", NC_COLLECTIVE, 0, 0, 0},
    {"contiguous_independent", NC_INDEPENDENT, 0, 0, 0},
    {"chunked_collective", NC_COLLECTIVE, 1, 0, 0},
    {"chunked_independent", NC_INDEPENDENT, 1, 0, 0},
    {"chunked_deflated", NC_COLLECTIVE, 1, 1, 0},
    {"records", NC_COLLECTIVE, 1, 0, 1},
};
enum { kVariableCount = sizeof kVariables / sizeof kVariables[0] };

static int rank, ranks, failures;

static void require(int status, const char* what, const char* name) {
  if (status != NC_NOERR) {
    printf("rank %d FAILED: %s: %s: %s\n", rank, name, what, nc_strerror(status));
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static void fill(double* buffer, int variable, const size_t* start, const size_t* count) {
  for (size_t r = 0; r < count[0]; ++r) {
    for (size_t c = 0; c < count[1]; ++c) {
      *buffer++ = variable * 100000.0 + (double)((start[0] + r) * kColumns + start[1] + c) + 0.5;
    }
  }
}

/* This rank's share of `total` things: [start, start + count). */
static void share(size_t total, size_t* start, size_t* count) {
  *start = total * (size_t)rank / (size_t)ranks;
  *count = total * (size_t)(rank + 1) / (size_t)ranks - *start;
}

static void define(int file, int* ids) {
  int rows, columns, records;
  size_t chunk[2] = {5, 8};
  require(nc_def_dim(file, "row", kRows, &rows), "def_dim", "row");
  require(nc_def_dim(file, "column", kColumns, &columns), "def_dim", "column");
  require(nc_def_dim(file, "record", NC_UNLIMITED, &records), "def_dim", "record");
  for (int v = 0; v < kVariableCount; ++v) {
    const Variable* variable = &kVariables[v];
    int dims[2] = {variable->record ? records : rows, columns};
    require(nc_def_var(file, variable->name, NC_DOUBLE, 2, dims, &ids[v]), "def_var",
            variable->name);
    require(
        nc_def_var_chunking(file, ids[v], variable->chunked ? NC_CHUNKED : NC_CONTIGUOUS, chunk),
        "def_var_chunking", variable->name);
    if (variable->deflated) {
      require(nc_def_var_deflate(file, ids[v], 0, 1, 2), "def_var_deflate", variable->name);
    }
  }
  require(nc_put_att_text(file, NC_GLOBAL, "title", 14, "netcdf4_client"), "put_att_text", "title");
  require(nc_enddef(file), "enddef", "file");
}

static void write_file(const char* path) {
  int file, ids[kVariableCount];
  double buffer[kElements];
  require(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file),
          "create_par", path);
  define(file, ids);
  for (int v = 0; v < kVariableCount; ++v) {
    const Variable* variable = &kVariables[v];
    size_t start[2] = {0, 0}, count[2] = {0, kColumns};
    share(variable->record ? kRecords : kRows, &start[0], &count[0]);
    fill(buffer, v, start, count);
    require(nc_var_par_access(file, ids[v], variable->access), "var_par_access", variable->name);
    require(nc_put_vara_double(file, ids[v], start, count, buffer), "put_vara", variable->name);
  }
  require(nc_sync(file), "sync", path);
  require(nc_close(file), "close", path);
}

static void read_file(const char* path) {
  int file, id;
  double buffer[kElements], expected[kElements];
  require(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file), "open_par", path);
  for (int i = 0; i < 2 * kVariableCount; ++i) {
    int v = i / 2, access = i % 2 ? NC_COLLECTIVE : NC_INDEPENDENT;
    size_t start[2] = {0, 0}, count[2] = {kVariables[v].record ? kRecords : kRows, 0};
    share(kColumns, &start[1], &count[1]);
    fill(expected, v, start, count);
    require(nc_inq_varid(file, kVariables[v].name, &id), "inq_varid", kVariables[v].name);
    require(nc_var_par_access(file, id, access), "var_par_access", kVariables[v].name);
    require(nc_get_vara_double(file, id, start, count, buffer), "get_vara", kVariables[v].name);
    if (memcmp(buffer, expected, count[0] * count[1] * sizeof(double)) != 0) {
      printf("rank %d FAILED: %s: values, access %d\n", rank, kVariables[v].name, access);
      ++failures;
    }
  }
  require(nc_close(file), "close", path);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    fprintf(stderr, "usage: netcdf4_client write|read FILE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (strcmp(argv[1], "write") == 0) {
    write_file(argv[2]);
  } else {
    read_file(argv[2]);
  }
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total > 0;
}
