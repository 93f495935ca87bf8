/* Writes or checks a classic NetCDF file with PnetCDF. The contents depend neither on the number of
 * ranks nor on the MPI-IO below, so that files can be compared and read back by other rank counts.
 *
 *   pnetcdf_client write FILE
 *   pnetcdf_client read FILE
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

enum { kRows = 37, kColumns = 53, kRecords = 6, kElements = kRows * kColumns };

/* Variables, in the order in which they are defined. The last is added after data was written, so
 * that PnetCDF must move what is behind the header. */
enum {
  kCollective,
  kIndependent,
  kStrided,
  kNonblocking,
  kBuffered,
  kRecordA,
  kRecordB,
  kLate,
  kVariables
};
static const char* const kNames[kVariables] = {"collective",  "independent", "strided",
                                               "nonblocking", "buffered",    "record_a",
                                               "record_b",    "late"};

static int rank, ranks, failures, ids[kVariables];

static void require(int status, const char* what) {
  if (status != NC_NOERR) {
    printf("rank %d FAILED: %s: %s\n", rank, what, ncmpi_strerror(status));
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static int value_of(int variable, MPI_Offset element) { return variable * 100000 + (int)element; }

/* This rank's share of the rows: [start, start + count). Some ranks may have none. */
static void my_rows(MPI_Offset start[2], MPI_Offset count[2]) {
  start[0] = (MPI_Offset)kRows * rank / ranks;
  start[1] = 0;
  count[0] = (MPI_Offset)kRows * (rank + 1) / ranks - start[0];
  count[1] = kColumns;
}

/* Fills `buffer` with the values of a block of `variable`, column stride included. */
static void fill(int* buffer, int variable, const MPI_Offset* start, const MPI_Offset* count,
                 MPI_Offset stride) {
  for (MPI_Offset r = 0; r < count[0]; ++r) {
    for (MPI_Offset c = 0; c < count[1]; ++c) {
      *buffer++ = value_of(variable, (start[0] + r) * kColumns + start[1] + c * stride);
    }
  }
}

static void define_variable(int file, int variable, int dim0, int dim1) {
  int dims[2] = {dim0, dim1};
  require(ncmpi_def_var(file, kNames[variable], NC_INT, 2, dims, &ids[variable]), kNames[variable]);
  require(ncmpi_put_att_text(file, ids[variable], "long_name", strlen(kNames[variable]),
                             kNames[variable]),
          "put_att_text");
}

static void define_all(int file) {
  int records, rows, columns;
  require(ncmpi_def_dim(file, "record", NC_UNLIMITED, &records), "def_dim");
  require(ncmpi_def_dim(file, "row", kRows, &rows), "def_dim");
  require(ncmpi_def_dim(file, "column", kColumns, &columns), "def_dim");
  for (int v = 0; v < kLate; ++v) {
    define_variable(file, v, v == kRecordA || v == kRecordB ? records : rows, columns);
  }
  require(ncmpi_enddef(file), "enddef");
}

static void write_blocking(int file) {
  MPI_Offset start[2], count[2], stride[2] = {1, ranks};
  int buffer[kElements];
  my_rows(start, count);
  fill(buffer, kCollective, start, count, 1);
  require(ncmpi_put_vara_int_all(file, ids[kCollective], start, count, buffer), "put_vara_int_all");
  fill(buffer, kIndependent, start, count, 1);
  require(ncmpi_begin_indep_data(file), "begin_indep_data");
  require(ncmpi_put_vara_int(file, ids[kIndependent], start, count, buffer), "put_vara_int");
  require(ncmpi_end_indep_data(file), "end_indep_data");
  MPI_Offset corner[2] = {0, rank}, blocks[2] = {kRows, (kColumns - rank + ranks - 1) / ranks};
  fill(buffer, kStrided, corner, blocks, ranks);
  require(ncmpi_put_vars_int_all(file, ids[kStrided], corner, blocks, stride, buffer),
          "put_vars_int_all");
}

/* One request per row and variable, all completed by one wait. */
static void write_nonblocking(int file) {
  MPI_Offset start[2], count[2];
  int first[kElements], second[kElements], requests[2 * kRows], statuses[2 * kRows], n = 0;
  my_rows(start, count);
  fill(first, kNonblocking, start, count, 1);
  fill(second, kBuffered, start, count, 1);
  require(ncmpi_buffer_attach(file, (MPI_Offset)sizeof second), "buffer_attach");
  for (MPI_Offset r = 0; r < count[0]; ++r) {
    MPI_Offset at[2] = {start[0] + r, 0}, one_row[2] = {1, kColumns};
    require(ncmpi_iput_vara_int(file, ids[kNonblocking], at, one_row, first + r * kColumns,
                                &requests[n++]),
            "iput_vara_int");
    require(ncmpi_bput_vara_int(file, ids[kBuffered], at, one_row, second + r * kColumns,
                                &requests[n++]),
            "bput_vara_int");
  }
  memset(second, 0, sizeof second); /* a buffered put has its own copy */
  require(ncmpi_wait_all(file, n, requests, statuses), "wait_all");
  for (int i = 0; i < n; ++i) {
    require(statuses[i], "request");
  }
  require(ncmpi_buffer_detach(file), "buffer_detach");
}

/* Records of two variables alternate in the file; ranks write alternate records. */
static void write_records(int file) {
  int buffer[kColumns];
  for (int v = kRecordA; v <= kRecordB; ++v) {
    for (int record = 0; record < kRecords; ++record) {
      MPI_Offset start[2] = {record, 0}, count[2] = {record % ranks == rank, kColumns};
      fill(buffer, v, start, count, 1);
      require(ncmpi_put_vara_int_all(file, ids[v], start, count, buffer),
              "put_vara_int_all of a record");
    }
  }
}

static void add_variable(int file) {
  MPI_Offset start[2], count[2];
  int buffer[kElements], rows, columns;
  require(ncmpi_redef(file), "redef");
  require(ncmpi_inq_dimid(file, "row", &rows), "inq_dimid");
  require(ncmpi_inq_dimid(file, "column", &columns), "inq_dimid");
  define_variable(file, kLate, rows, columns);
  require(ncmpi_enddef(file), "enddef");
  my_rows(start, count);
  fill(buffer, kLate, start, count, 1);
  require(ncmpi_put_vara_int_all(file, ids[kLate], start, count, buffer), "put_vara_int_all");
}

static void write_file(const char* path) {
  int file;
  require(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file),
          "create");
  define_all(file);
  write_blocking(file);
  write_nonblocking(file);
  write_records(file);
  add_variable(file);
  require(ncmpi_sync(file), "sync");
  require(ncmpi_close(file), "close");
}

static void expect_values(int variable, const int* buffer, const MPI_Offset* start,
                          const MPI_Offset* count, const char* how) {
  int expected[kElements];
  fill(expected, variable, start, count, 1);
  if (memcmp(buffer, expected, (size_t)(count[0] * count[1]) * sizeof(int)) != 0) {
    printf("rank %d FAILED: %s: %s\n", rank, kNames[variable], how);
    ++failures;
  }
}

/* Reads a block of columns of each variable: collectively, independently and without blocking. */
static void read_file(const char* path) {
  int file, buffer[kElements], later[kVariables][kElements], requests[kVariables],
      statuses[kVariables];
  require(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), "open");
  MPI_Offset start[2] = {0, (MPI_Offset)kColumns * rank / ranks};
  MPI_Offset width = (MPI_Offset)kColumns * (rank + 1) / ranks - start[1];
  for (int v = 0; v < kVariables; ++v) {
    MPI_Offset count[2] = {v == kRecordA || v == kRecordB ? kRecords : kRows, width};
    require(ncmpi_inq_varid(file, kNames[v], &ids[v]), "inq_varid");
    require(ncmpi_get_vara_int_all(file, ids[v], start, count, buffer), "get_vara_int_all");
    expect_values(v, buffer, start, count, "collective read");
    require(ncmpi_begin_indep_data(file), "begin_indep_data");
    require(ncmpi_get_vara_int(file, ids[v], start, count, buffer), "get_vara_int");
    require(ncmpi_end_indep_data(file), "end_indep_data");
    expect_values(v, buffer, start, count, "independent read");
    require(ncmpi_iget_vara_int(file, ids[v], start, count, later[v], &requests[v]),
            "iget_vara_int");
  }
  require(ncmpi_wait_all(file, kVariables, requests, statuses), "wait_all");
  for (int v = 0; v < kVariables; ++v) {
    MPI_Offset count[2] = {v == kRecordA || v == kRecordB ? kRecords : kRows, width};
    require(statuses[v], "request");
    expect_values(v, later[v], start, count, "nonblocking read");
  }
  require(ncmpi_close(file), "close");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    fprintf(stderr, "usage: pnetcdf_client write|read FILE\n");
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
